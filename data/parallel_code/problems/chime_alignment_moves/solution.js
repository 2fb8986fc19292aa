function chimeAlignmentMoves(first, second, gap) {
  const memo = new Map();
  const best = (i, j) => {
    const key = `${i},${j}`;
    if (memo.has(key)) return memo.get(key);
    const options = [];
    const offer = (letter, step, { cost, moves }) =>
      options.push({ cost: step + cost, moves: letter + moves });
    const [more, others] = [i < first.length, j < second.length];
    if (more && others) offer('M', Math.abs(first[i] - second[j]), best(i + 1, j + 1));
    if (more) offer('F', gap, best(i + 1, j));
    if (others) offer('S', gap, best(i, j + 1));
    const start = { cost: options.length ? Infinity : 0, moves: '' };
    const cheapest = options.reduce((a, b) => (b.cost < a.cost ? b : a), start);
    memo.set(key, cheapest);
    return cheapest;
  };
  return best(0, 0).moves;
}
