function jarLabelBox(lines) {
  const width = Math.max(0, ...lines.map((line) => line.length));
  const edge = `+${"-".repeat(width + 2)}+`;
  return [edge, ...lines.map((line) => `| ${line.padEnd(width)} |`), edge];
}
