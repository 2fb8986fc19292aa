function criticalWalkways(islands, walkways) {
  const connected = (from, to, closed) => {
    const reached = new Set([from]);
    for (const island of reached) {
      walkways.forEach(([a, b], number) => {
        if (number === closed) return;
        if (a === island) reached.add(b);
        if (b === island) reached.add(a);
      });
    }
    return reached.has(to);
  };
  return walkways
    .filter(([a, b], number) => !connected(a, b, number))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)])
    .sort((p, q) => p[0] - q[0] || p[1] - q[1]);
}
