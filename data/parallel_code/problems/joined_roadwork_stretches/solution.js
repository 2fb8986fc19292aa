function joinedRoadworkStretches(works, gap) {
  const stretches = [];
  for (const [start, end] of [...works].sort(([a], [b]) => a - b)) {
    if (!stretches.length || start - stretches.at(-1)[1] > gap) stretches.push([start, start, 0, 0]);
    const stretch = stretches.at(-1);
    stretch[3] += Math.max(0, end - Math.max(start, stretch[1]));
    stretch[2] += 1;
    stretch[1] = Math.max(stretch[1], end);
  }
  return stretches;
}
