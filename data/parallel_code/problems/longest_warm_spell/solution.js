function longestWarmSpell(nights, days, floor) {
  let best = [-1, 0];
  let length = 0;
  nights.forEach((night, date) => {
    length = Math.min(night, days[date]) >= floor ? length + 1 : 0;
    if (length > best[1]) best = [date - length + 1, length];
  });
  return best;
}
