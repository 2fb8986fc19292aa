function saltRoadToll(towns, roads, waivers, start, goal) {
  let cheapest = new Array(towns).fill(Infinity);
  cheapest[start] = 0;
  const settle = (paid) => {
    for (let round = 1; round < towns; round++) {
      for (const [a, b, toll] of roads) {
        paid[a] = Math.min(paid[a], paid[b] + toll);
        paid[b] = Math.min(paid[b], paid[a] + toll);
      }
    }
    return paid;
  };
  settle(cheapest);
  let best = [cheapest[goal], 0];
  for (let used = 1; used <= waivers; used++) {
    const waived = [...cheapest];
    for (const [a, b] of roads) {
      waived[a] = Math.min(waived[a], cheapest[b]);
      waived[b] = Math.min(waived[b], cheapest[a]);
    }
    cheapest = settle(waived);
    if (cheapest[goal] < best[0]) best = [cheapest[goal], used];
  }
  return best[0] === Infinity ? [-1, -1] : best;
}
