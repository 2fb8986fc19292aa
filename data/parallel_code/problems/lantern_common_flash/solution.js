const gcd = (a, b) => (b === 0 ? a : gcd(b, a % b));

function lanternCommonFlash(lanterns) {
  let minute = Math.max(0, ...lanterns.map(([, first]) => first));
  let step = 1;
  for (const [period, first] of lanterns) {
    const shared = gcd(step, period);
    if ((minute - first) % shared !== 0) return -1;
    while ((minute - first) % period !== 0) minute += step;
    step *= period / shared;
  }
  return minute;
}
