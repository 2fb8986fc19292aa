function exchangeDeskLedger(trades) {
  const ledger = {};
  let rejected = 0;
  for (const [action, currency, ...numbers] of trades) {
    const [quantity, amount] = numbers.map(Number);
    const [held, cost, profit] = ledger[currency] ?? [0, 0, 0];
    if (action === 'buy' && quantity > 0) {
      ledger[currency] = [held + quantity, cost + amount, profit];
    } else if (action === 'sell' && quantity > 0 && quantity <= held) {
      const released = Math.floor((cost * quantity) / held);
      ledger[currency] = [held - quantity, cost - released, profit + amount - released];
    } else {
      rejected++;
    }
  }
  return { ...ledger, rejected: [rejected] };
}
