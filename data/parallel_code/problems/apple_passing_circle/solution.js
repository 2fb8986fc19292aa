function applePassingCircle(apples, rounds) {
  let held = [...apples];
  for (let round = 0; round < rounds; round++) {
    const passed = held.map((count) => Math.floor(count / 2));
    held = held.map((count, i) => count - passed[i] + passed.at(i - 1));
  }
  return held;
}
