function poolPeakCrowd(entries, exits) {
  const crowdAt = (minute) =>
    entries.filter((entry, i) => entry <= minute && minute < exits[i]).length;
  const moments = [...new Set([...entries, ...exits])].sort((a, b) => a - b);
  const crowds = moments.map(crowdAt);
  const peak = Math.max(0, ...crowds);
  if (peak === 0) return [0, -1, 0];
  const lasted = crowds.reduce(
    (sum, crowd, i) => (crowd === peak ? sum + moments[i + 1] - moments[i] : sum),
    0
  );
  return [peak, moments[crowds.indexOf(peak)], lasted];
}
