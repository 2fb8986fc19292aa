function serpentineCrateLanes(crates, lanes) {
  const dealt = Array.from({ length: lanes }, () => []);
  crates.forEach((crate, i) => {
    const place = i % (2 * lanes);
    dealt[Math.min(place, 2 * lanes - 1 - place)].push(crate);
  });
  return dealt;
}
