function lampRowAfterPulls(count, pulls) {
  const row = new Array(count).fill(".");
  for (const lamp of pulls) {
    if (lamp >= 1 && lamp <= count) {
      row[lamp - 1] = row[lamp - 1] === "." ? "*" : ".";
    }
  }
  return row.join("");
}
