function fenceBoardPatterns(length, widths) {
  const sorted = [...widths].sort((a, b) => a - b);
  function* extend(remaining, boards) {
    if (remaining === 0) yield boards;
    for (const width of sorted) {
      if (width <= remaining && width !== boards.at(-1)) {
        yield* extend(remaining - width, [...boards, width]);
      }
    }
  }
  return [...extend(length, [])];
}
