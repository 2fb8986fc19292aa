function twoColumnNotice(text, width, gap) {
  const pattern = new RegExp(`\\S.{0,${width - 1}}(?= |$)`, "g");
  const lines = text.match(pattern) ?? [];
  const half = Math.ceil(lines.length / 2);
  const right = lines.slice(half);
  return lines
    .slice(0, half)
    .map((left, i) => (i < right.length ? left.padEnd(width + gap) + right[i] : left));
}
