function roundDiv(value, divisor) {
  return Math.sign(value) * Math.floor((2 * Math.abs(value) + divisor) / (2 * divisor));
}

function invoiceTaxSummary(lines) {
  const nets = new Map();
  for (const [quantity, price, discount, rate] of lines) {
    const net = roundDiv(quantity * price * (100 - discount), 100);
    nets.set(rate, (nets.get(rate) ?? 0) + net);
  }
  const summary = {};
  const total = [0, 0];
  for (const [rate, net] of nets) {
    const tax = roundDiv(net * rate, 1000);
    summary[`${rate / 10}%`] = [net, tax];
    total[0] += net;
    total[1] += tax;
  }
  return { ...summary, total };
}
