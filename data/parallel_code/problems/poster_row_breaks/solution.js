function posterRowBreaks(widths, wall) {
  if (widths.some((width) => width > wall)) return [];
  const plans = [{ cost: 0, counts: [] }];
  for (let start = widths.length - 1; start >= 0; start--) {
    let best = { cost: Infinity };
    let free = wall;
    for (let count = 1; start + count <= widths.length; count++) {
      free -= widths[start + count - 1];
      if (free < 0) break;
      const rest = plans[count - 1];
      const cost = free ** 2 + rest.cost;
      if (cost <= best.cost) best = { cost, counts: [count, ...rest.counts] };
    }
    plans.unshift(best);
  }
  return plans[0].counts;
}
