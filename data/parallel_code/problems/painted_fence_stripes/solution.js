function paintedFenceStripes(length, coats, colours) {
  const layer = (from, to) => coats.findLastIndex(([start, end]) => start <= from && to <= end);
  const marks = [...new Set([0, length, ...coats.flat()])].sort((a, b) => a - b);
  const stripes = [];
  for (let i = 1; i < marks.length; i++) {
    const colour = colours[layer(marks[i - 1], marks[i])] ?? "bare";
    const last = stripes.at(-1);
    if (last?.colour === colour) last.end = marks[i];
    else stripes.push({ start: marks[i - 1], end: marks[i], colour });
  }
  return stripes.map(({ start, end, colour }) => `${start}-${end} ${colour}`);
}
