function hutWalkMinutes(legs) {
  const thousandths = legs.map(([metres, climb]) => 12 * metres + 100 * Math.max(climb, 0));
  return Math.ceil(thousandths.reduce((a, b) => a + b, 0) / 1000);
}
