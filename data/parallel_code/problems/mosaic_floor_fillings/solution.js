function mosaicFloorFillings(rows, singles) {
  const memo = new Map();
  const isOpen = (r, c) => rows[r]?.[c] === '.';

  const fill = (r, c, covered, left) => {
    if (left < 0) return 0;
    if (r === rows.length) return left === 0 ? 1 : 0;
    if (c === rows[r].length) return fill(r + 1, 0, covered, left);
    const here = 1 << c;
    const right = 2 << c;
    if (!isOpen(r, c) || covered & here) return fill(r, c + 1, covered & ~here, left);

    const key = [r, c, covered, left].join();
    if (!memo.has(key)) {
      let ways = fill(r, c + 1, covered, left - 1);
      if (isOpen(r + 1, c)) ways += fill(r, c + 1, covered | here, left);
      if (isOpen(r, c + 1) && !(covered & right)) ways += fill(r, c + 1, covered | right, left);
      memo.set(key, ways);
    }
    return memo.get(key);
  };

  return fill(0, 0, 0, singles);
}
