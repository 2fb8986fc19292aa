function marketReceiptLines(names, quantities, prices, width, paid) {
  const money = (cents) => (cents / 100).toFixed(2);
  const amountLine = ([text, cents]) => {
    const amount = money(cents);
    const room = width - amount.length - 1;
    return `${text.slice(0, room).padEnd(room)} ${amount}`;
  };

  const basket = [];
  names.forEach((name, i) => {
    const known = basket.find((entry) => entry.name === name && entry.price === prices[i]);
    if (known) {
      known.quantity += quantities[i];
    } else {
      basket.push({ name, price: prices[i], quantity: quantities[i] });
    }
  });

  const articles = basket.flatMap(({ name, price, quantity }) => {
    const main = amountLine([name, quantity * price]);
    return quantity > 1 ? [main, `  ${quantity} x ${money(price)}`] : [main];
  });
  const sum = basket.reduce((total, { price, quantity }) => total + quantity * price, 0);
  const discount = sum >= 5000 ? Math.floor(sum / 20) : 0;
  const balance = paid - (sum - discount);
  const summary = [
    ...(discount ? [["SUBTOTAL", sum], ["DISCOUNT", -discount]] : []),
    ["TOTAL", sum - discount],
    ["PAID", paid],
    balance < 0 ? ["OWING", -balance] : ["CHANGE", balance],
  ];
  return [...articles, "-".repeat(width), ...summary.map(amountLine)];
}
