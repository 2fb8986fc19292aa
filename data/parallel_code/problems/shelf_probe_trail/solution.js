function shelfProbeTrail(codes, wanted) {
  const search = (first, last) => {
    if (first > last) return [];
    const middle = Math.floor((first + last) / 2);
    if (codes[middle] === wanted) return [middle];
    const part = codes[middle] < wanted ? [middle + 1, last] : [first, middle - 1];
    return [middle, ...search(...part)];
  };
  return search(0, codes.length - 1);
}
