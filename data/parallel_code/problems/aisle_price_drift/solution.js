function aislePriceDrift(old, current, aisles) {
  const sums = new Map();
  for (const [good, aisle] of Object.entries(aisles)) {
    if (!(good in old && good in current)) continue;
    const [sum, count] = sums.get(aisle) ?? [0, 0];
    sums.set(aisle, [sum + current[good] - old[good], count + 1]);
  }
  return Object.fromEntries([...sums].map(([aisle, [sum, count]]) => [aisle, sum / count]));
}
