function potteryWheelFinishes(minutes, turn) {
  const left = [...minutes];
  const finishes = minutes.map(() => 0);
  let clock = 0;
  while (left.some((need) => need > 0)) {
    left.forEach((need, potter) => {
      const worked = Math.min(need, turn);
      clock += worked;
      left[potter] -= worked;
      if (worked > 0) finishes[potter] = clock;
    });
  }
  return finishes;
}
