function loneGaugePeaks(levels, reach) {
  return [...levels.keys()].filter((i) => {
    const from = Math.max(0, i - reach);
    const nearby = levels.slice(from, i + reach + 1);
    return nearby.every((other, j) => from + j === i || other < levels[i]);
  });
}
