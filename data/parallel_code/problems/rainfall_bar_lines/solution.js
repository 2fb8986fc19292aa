function rainfallBarLines(labels, amounts, width) {
  const margin = Math.max(...labels.map((label) => label.length));
  const highest = Math.max(...amounts);
  return labels.map((label, i) => {
    const scaled = Math.floor((amounts[i] * width) / highest);
    const bar = "#".repeat(amounts[i] === 0 ? 0 : Math.max(1, scaled));
    return `${label.padStart(margin)} |${bar} ${amounts[i]}`;
  });
}
