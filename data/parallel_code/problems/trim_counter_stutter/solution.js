function trimCounterStutter(readings, keep) {
  let run = 0;
  return readings.filter((value, i) => {
    run = value === readings[i - 1] ? run + 1 : 1;
    return run <= keep;
  });
}
