function weaveParcelLines(lines, pattern) {
  const next = lines.map(() => 0);
  const belt = [];
  let before;
  do {
    before = belt.length;
    for (const number of pattern) {
      if (next[number] < lines[number].length) {
        belt.push(lines[number][next[number]++]);
      }
    }
  } while (belt.length > before);
  return belt;
}
