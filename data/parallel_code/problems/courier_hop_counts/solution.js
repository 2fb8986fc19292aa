function courierHopCounts(stations, links, depot, closed) {
  const shut = new Set(closed);
  const hops = new Array(stations).fill(-1);
  if (shut.has(depot)) return hops;
  hops[depot] = 0;
  const queue = [depot];
  for (const station of queue) {
    const neighbours = links
      .filter((link) => link.includes(station))
      .map(([a, b]) => (a === station ? b : a));
    for (const next of neighbours) {
      if (hops[next] >= 0 || shut.has(next)) continue;
      hops[next] = hops[station] + 1;
      queue.push(next);
    }
  }
  return hops;
}
