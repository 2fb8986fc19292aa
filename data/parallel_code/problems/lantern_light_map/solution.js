function lanternLightMap(cave) {
  const inLight = (r, c) =>
    [[-1, 0], [1, 0], [0, -1], [0, 1]].some(([down, across]) => {
      let [y, x] = [r, c];
      while (cave[y]?.[x] === ".") [y, x] = [y + down, x + across];
      return cave[y]?.[x] === "*";
    });
  return cave.map((row, r) => row.replace(/\./g, (cell, c) => (inLight(r, c) ? "o" : cell)));
}
