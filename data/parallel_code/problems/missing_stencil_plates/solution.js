function missingStencilPlates(marks, plates) {
  const stock = new Map();
  for (const c of plates) {
    stock.set(c, (stock.get(c) ?? 0) + 1);
  }
  const missing = [];
  for (const c of marks.join("").replaceAll(" ", "")) {
    const left = stock.get(c) ?? 0;
    if (left > 0) {
      stock.set(c, left - 1);
    } else {
      missing.push(c);
    }
  }
  return missing.sort().join("");
}
