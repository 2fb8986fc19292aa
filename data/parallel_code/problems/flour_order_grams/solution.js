function flourOrderGrams(order) {
  const grams = { g: 1, kg: 1000, sack: 25000 };
  let total = 0;
  for (const [, number, unit] of order.matchAll(/(\d+) *([a-z]+)/g)) {
    total += Number(number) * grams[unit];
  }
  return total;
}
