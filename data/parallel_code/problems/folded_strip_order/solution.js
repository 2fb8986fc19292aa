function foldedStripOrder(panels, folds) {
  const fold = (piles, [side, ...rest]) => {
    if (side === undefined) return piles[0];
    const left = piles.slice(0, piles.length / 2);
    const right = piles.slice(piles.length / 2);
    const [over, under] = side === 'L' ? [left, right] : [right, left];
    over.reverse();
    return fold(under.map((pile, i) => [...over[i].slice().reverse(), ...pile]), rest);
  };
  return fold(Array.from({ length: panels }, (_, i) => [i + 1]), [...folds]);
}
