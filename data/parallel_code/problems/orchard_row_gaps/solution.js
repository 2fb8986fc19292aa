function orchardRowGaps(rows) {
  return rows.map((row) => Math.max(...row.split("T").map((gap) => gap.length)));
}
