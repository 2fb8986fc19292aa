function gearExpansionPeriod(teeth, base) {
  const firstSeen = new Map();
  let remainder = 1 % teeth;
  for (; remainder && !firstSeen.has(remainder); remainder = (remainder * base) % teeth) {
    firstSeen.set(remainder, firstSeen.size);
  }
  const lead = firstSeen.get(remainder) ?? firstSeen.size;
  return [lead, firstSeen.size - lead];
}
