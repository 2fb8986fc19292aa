function terraceRillPath(heights, row, column) {
  const height = ([r, c]) => heights[r]?.[c] ?? Infinity;
  const path = [[row, column]];
  for (;;) {
    const here = path[path.length - 1];
    const [r, c] = here;
    const around = [[r - 1, c], [r, c - 1], [r, c + 1], [r + 1, c]];
    const next = around.reduce((best, cell) => (height(cell) < height(best) ? cell : best), here);
    if (next === here) return path;
    path.push(next);
  }
}
