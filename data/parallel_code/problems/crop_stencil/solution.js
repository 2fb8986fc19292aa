function cropStencil(sheet) {
  const cut = sheet.filter((row) => row.includes("#"));
  if (cut.length === 0) return [];
  const left = Math.min(...cut.map((row) => row.indexOf("#")));
  const right = Math.max(...cut.map((row) => row.lastIndexOf("#")));
  return sheet
    .slice(sheet.indexOf(cut[0]), sheet.lastIndexOf(cut.at(-1)) + 1)
    .map((row) => row.slice(left, right + 1));
}
