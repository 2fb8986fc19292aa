function orchardRowPicking(yields, rests) {
  const best = [0];
  for (let i = yields.length - 1; i >= 0; i--) {
    const cooled = best[rests[i]] ?? 0;
    best.unshift(Math.max(best[0], yields[i] + cooled));
  }
  return best[0];
}
