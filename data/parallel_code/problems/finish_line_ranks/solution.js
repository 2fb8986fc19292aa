function finishLineRanks(times) {
  return times.map((time) => 1 + times.filter((other) => other < time).length);
}
