function stockTableLines(header, rows) {
  const columns = header.map((title, i) => {
    const cells = rows.map((row) => row[i]);
    return {
      width: Math.max(title.length, ...cells.map((cell) => cell.length)),
      numeric: cells.length > 0 && cells.every((cell) => /^-?\d+(\.\d+)?$/.test(cell)),
    };
  });
  const rule = columns.map(({ width }) => "-".repeat(width));
  const align = (cell, i) => {
    const { width, numeric } = columns[i];
    return numeric ? cell.padStart(width) : cell.padEnd(width);
  };
  return [header, rule, ...rows].map((cells) => cells.map(align).join("  ").trimEnd());
}
