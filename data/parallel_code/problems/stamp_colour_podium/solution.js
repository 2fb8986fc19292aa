function stampColourPodium(colours, places) {
  const counts = new Map();
  for (const colour of [...colours].sort()) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, places)
    .map(([colour]) => colour);
}
