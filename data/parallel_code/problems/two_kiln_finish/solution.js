function twoKilnFinish(hours) {
  const total = hours.reduce((sum, batch) => sum + batch, 0);
  const loads = hours.reduce(
    (reached, batch) => new Set([...reached, ...[...reached].map((load) => load + batch)]),
    new Set([0]),
  );
  return Math.min(...[...loads].filter((load) => 2 * load >= total));
}
