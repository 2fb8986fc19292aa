function pondCensus(field) {
  const seen = new Set();
  const isWater = (r, c) => field[r]?.[c] === "~";
  const survey = (row, column) => {
    let [area, shoreline, border] = [0, 0, 0];
    const waiting = [[row, column]];
    while (waiting.length) {
      const [r, c] = waiting.pop();
      if (!isWater(r, c) || seen.has(`${r},${c}`)) continue;
      seen.add(`${r},${c}`);
      area += 1;
      shoreline += [[r - 1, c], [r + 1, c], [r, c - 1], [r, c + 1]].filter(([y, x]) => !isWater(y, x)).length;
      if (r === 0 || c === 0 || r === field.length - 1 || c === field[r].length - 1) border = 1;
      for (const y of [r - 1, r, r + 1]) {
        for (const x of [c - 1, c, c + 1]) waiting.push([y, x]);
      }
    }
    return [area, shoreline, border];
  };
  return field
    .flatMap((row, r) => [...row].map((_, c) => survey(r, c)))
    .filter(([area]) => area > 0)
    .sort((p, q) => q[0] - p[0] || p[1] - q[1] || p[2] - q[2]);
}
