function cashDrawerRounding(prices, step) {
  const total = prices.reduce((sum, price) => sum + price, 0);
  return Math.floor((2 * total + step) / (2 * step)) * step;
}
