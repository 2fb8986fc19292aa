function ledgerAmountText(cents) {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  const text = `${whole}.${digits.slice(-2)}`;
  return cents < 0 ? `(${text})` : text;
}
