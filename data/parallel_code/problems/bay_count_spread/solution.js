function bayCountSpread(counts) {
  const [first = []] = counts;
  return first.map((_, bay) => {
    const column = counts.map((day) => day[bay]);
    return Math.max(...column) - Math.min(...column);
  });
}
