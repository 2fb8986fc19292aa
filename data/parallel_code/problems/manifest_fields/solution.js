function manifestFields(line) {
  const fields = [""];
  for (const [piece] of line.matchAll(/'(?:[^']|'')*(?:'|$)|;|[^';]+/g)) {
    if (piece === ";") {
      fields.push("");
    } else if (piece.startsWith("'")) {
      const inside = piece.slice(1).replace(/^((?:[^']|'')*)'$/, "$1");
      fields[fields.length - 1] += inside.replaceAll("''", "'");
    } else {
      fields[fields.length - 1] += piece;
    }
  }
  return fields;
}
