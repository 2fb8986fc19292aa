function savingsJarMonths(start, deposit, rateBp, goal) {
  let balance = start;
  for (let month = 0; month <= 1200; month++) {
    if (balance >= goal) return month;
    balance += Math.floor((balance * rateBp) / 120_000) + deposit;
  }
  return -1;
}
