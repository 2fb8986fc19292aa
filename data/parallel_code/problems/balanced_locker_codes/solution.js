function balancedLockerCodes(low, high) {
  let balanced = 0;
  for (let code = low; code <= high; code++) {
    const digits = [...String(code)].map(Number);
    const surplus = digits.reduce((sum, digit) => sum + (digit % 2 ? digit : -digit), 0);
    if (surplus === 0) balanced++;
  }
  return balanced;
}
