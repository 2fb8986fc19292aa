function unheatedPlots(plots, reach) {
  const cells = plots.flatMap((row, r) => [...row].map((kind, c) => ({ kind, r, c })));
  const heaters = cells.filter(({ kind }) => kind === "H");
  const warm = ({ r, c }) => heaters.some((h) => Math.abs(h.r - r) + Math.abs(h.c - c) <= reach);
  return cells.filter((cell) => cell.kind === "." && !warm(cell)).length;
}
