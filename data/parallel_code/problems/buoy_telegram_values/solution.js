function buoyTelegramValues(telegram) {
  const temperature = (digits) => ((digits[0] === "1" ? -1 : 1) * Number(digits.slice(1))) / 10;
  const readers = {
    A: (digits) => ({ air: temperature(digits) }),
    S: (digits) => ({ sea: temperature(digits) }),
    P: (digits) => ({ pressure: Number(digits) / 10 + (digits < "5000" ? 1000 : 0) }),
    W: (digits) => {
      const tens = Number(digits.slice(0, 2));
      const knots = Number(digits.slice(2));
      return tens > 50
        ? { wind_from: (tens - 50) * 10, wind_speed: knots + 100 }
        : { wind_from: tens * 10, wind_speed: knots };
    },
  };
  const values = {};
  for (const [, kind, digits] of telegram.matchAll(/\b([ASPW])(\d{4})\b/g)) {
    Object.assign(values, readers[kind](digits));
  }
  return values;
}
