function streamConfluenceRanks(downstream) {
  const tributaries = downstream.map(() => []);
  return downstream.map((into, stream) => {
    const [highest = 1, second = 0] = tributaries[stream].sort((a, b) => b - a);
    const rank = highest === second ? highest + 1 : highest;
    tributaries[into]?.push(rank);
    return rank;
  });
}
