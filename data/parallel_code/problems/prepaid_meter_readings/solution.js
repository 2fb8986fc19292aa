function prepaidMeterReadings(operations) {
  const meter = { balance: 0, floor: 0, rate: 30 };
  const actions = {
    day: () => (meter.rate = 30),
    night: () => (meter.rate = 18),
    lend: () => (meter.floor = meter.balance < 200 ? -500 : meter.floor),
    pay: (cents) => {
      meter.balance += cents;
      meter.floor = meter.balance >= 0 ? 0 : meter.floor;
    },
    use: (units) => {
      const affordable = Math.floor((meter.balance - meter.floor) / meter.rate);
      meter.balance -= meter.rate * Math.min(units, affordable);
    },
  };
  return operations.map((operation) => {
    const [name, amount] = operation.split(" ");
    actions[name](Number(amount));
    return meter.balance;
  });
}
