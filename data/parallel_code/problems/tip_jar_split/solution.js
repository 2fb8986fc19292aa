function tipJarSplit(cents, hours) {
  const total = hours.reduce((sum, worked) => sum + worked, 0);
  if (total === 0) return hours.map(() => 0);
  const shares = hours.map((worked) => Math.floor((cents * worked) / total));
  const left = cents - shares.reduce((sum, share) => sum + share, 0);
  hours
    .map((worked, i) => [(cents * worked) % total, i])
    .sort(([a], [b]) => b - a)
    .slice(0, left)
    .forEach(([, i]) => shares[i]++);
  return shares;
}
