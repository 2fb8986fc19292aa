function museumKioskLog(prices, stock, events) {
  const coins = [5, 10, 20, 50, 100];
  const known = new Map(Object.entries(prices));
  const left = new Map(Object.entries(stock));
  let credit = 0;
  const insert = (value) => {
    if (!coins.includes(Number(value))) return `returned ${value}`;
    credit += Number(value);
    return `credit ${credit}`;
  };
  const sell = (souvenir) => {
    if (!known.has(souvenir)) return `unknown ${souvenir}`;
    if (!left.get(souvenir)) return `${souvenir} sold out`;
    const change = credit - known.get(souvenir);
    if (change < 0) return `${souvenir} costs ${-change} more`;
    left.set(souvenir, left.get(souvenir) - 1);
    credit = 0;
    return `${souvenir} with change ${change}`;
  };
  return events.map((event) => {
    const [action, ...words] = event.split(" ");
    if (action === "coin" && words.length === 1) return insert(words[0]);
    if (action === "pick" && words.length === 1) return sell(words[0]);
    if (event !== "cancel") return "ignored";
    const refund = `refund ${credit}`;
    credit = 0;
    return refund;
  });
}
