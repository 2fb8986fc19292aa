function compareBinLabels(left, right) {
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const chunks = (label) => label.toLowerCase().match(/\d+|\D+/g) ?? [];
  const isNumber = (chunk) => /^\d/.test(chunk);

  const a = chunks(left);
  const b = chunks(right);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const bothNumbers = isNumber(a[i]) && isNumber(b[i]);
    const sign =
      order(!isNumber(a[i]), !isNumber(b[i])) ||
      (bothNumbers ? order(Number(a[i]), Number(b[i])) : order(a[i], b[i]));
    if (sign !== 0) {
      return sign;
    }
  }
  return order(a.length, b.length) || order(left.length, right.length) || order(left, right);
}
