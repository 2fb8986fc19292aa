function lampRowPatterns(lamps, runs) {
  const known = new Map();
  const count = (length) => {
    if (length < 0) return length === -1 ? 1 : 0;
    if (!known.has(length)) {
      known.set(length, [0, ...runs].reduce((sum, run) => sum + count(length - run - 1), 0));
    }
    return known.get(length);
  };
  return count(lamps);
}
