function panelTastingOrder(rankings) {
  const scores = new Map();
  for (const ranking of rankings) {
    ranking.forEach((cheese, place) => {
      const [points, firsts] = scores.get(cheese) ?? [0, 0];
      scores.set(cheese, [points + ranking.length - place, firsts + (place === 0)]);
    });
  }
  return [...scores.keys()].sort().sort((a, b) => {
    const [pointsA, firstsA] = scores.get(a);
    const [pointsB, firstsB] = scores.get(b);
    return pointsB - pointsA || firstsB - firstsA;
  });
}
