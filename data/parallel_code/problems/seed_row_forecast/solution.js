const differences = (counts) => counts.slice(1).map((count, i) => count - counts[i]);

const rules = {
  steady(counts) {
    const [step, ...others] = new Set(differences(counts));
    return others.length === 0 ? counts.at(-1) + step : NaN;
  },
  scaled(counts) {
    const [first, second] = counts;
    const following = (counts.at(-1) * second) / first;
    const fits = counts.slice(1).every((count, i) => count * first === counts[i] * second);
    return fits && Number.isInteger(following) ? following : NaN;
  },
  summed(counts) {
    const fits = counts.slice(2).every((count, i) => counts[i] + counts[i + 1] === count);
    return fits && counts.length >= 4 ? counts.at(-2) + counts.at(-1) : NaN;
  },
  curved(counts) {
    return counts.length >= 4 ? counts.at(-1) + rules.steady(differences(counts)) : NaN;
  },
  woven(counts) {
    if (counts.length < 5) return NaN;
    const parity = counts.length % 2;
    const other = rules.steady(counts.filter((_, i) => i % 2 !== parity));
    return Number.isNaN(other) ? NaN : rules.steady(counts.filter((_, i) => i % 2 === parity));
  },
};

function seedRowForecast(counts) {
  if (counts.length < 3) return 'unknown';
  for (const [name, rule] of Object.entries(rules)) {
    const following = rule(counts);
    if (!Number.isNaN(following)) return `${name} ${following}`;
  }
  return 'irregular';
}
