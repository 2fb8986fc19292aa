function kilnEnergyBill(units, bands, standing) {
  let bill = standing;
  let left = units;
  for (const [size, price] of bands) {
    const used = Math.min(left, size);
    bill += used * price;
    left -= used;
  }
  const [, lastPrice] = bands.at(-1) ?? [0, 0];
  return bill + left * lastPrice;
}
