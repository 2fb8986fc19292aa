function floorGroutCost(floor) {
  const seam = (a, b) => {
    if (a === undefined || b === undefined || a === b) return 0;
    return a === "." || b === "." ? 2 : 1;
  };
  return floor
    .flatMap((row, r) => [...row].map((cell, c) => seam(cell, row[c + 1]) + seam(cell, floor[r + 1]?.[c])))
    .reduce((total, cost) => total + cost, 0);
}
