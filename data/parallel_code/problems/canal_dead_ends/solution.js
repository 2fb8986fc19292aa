function canalDeadEnds(canals) {
  const ends = canals.flat();
  return ends.filter((basin) => ends.indexOf(basin) === ends.lastIndexOf(basin)).sort((a, b) => a - b);
}
