function marketStallReceipt(basket, prices, offers) {
  const goods = [...new Set(basket)].sort();
  const entries = goods
    .filter((good) => good in prices)
    .map((good) => {
      const units = basket.filter((other) => other === good).length;
      const [bundle, bundlePrice] = offers[good] ?? [1, prices[good]];
      const singles = units % bundle;
      const cost = ((units - singles) / bundle) * bundlePrice + singles * prices[good];
      return { good, units, cost, saved: units * prices[good] - cost };
    });
  const sum = (key) => entries.reduce((total, entry) => total + entry[key], 0);
  const unsold = goods.filter((good) => !(good in prices));
  return [
    ...entries.map(({ good, units, cost }) => `${good} x${units} ${cost}`),
    ...(sum("saved") > 0 ? [`saved ${sum("saved")}`] : []),
    `total ${sum("cost")}`,
    ...(unsold.length > 0 ? [`not sold: ${unsold.join(", ")}`] : []),
  ];
}
