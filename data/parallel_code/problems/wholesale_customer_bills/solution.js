function wholesaleCustomerBills(customers, goods, units, prices) {
  const ordered = {};
  customers.forEach((customer, i) => {
    const counts = (ordered[customer] ??= {});
    counts[goods[i]] = (counts[goods[i]] ?? 0) + units[i];
  });
  const cost = ([good, count]) => (count - Math.floor(count / 12)) * (prices[good] ?? 0);
  const bill = (counts) => Object.entries(counts).reduce((sum, line) => sum + cost(line), 0);
  return Object.fromEntries(
    Object.entries(ordered).map(([customer, counts]) => [customer, bill(counts)])
  );
}
