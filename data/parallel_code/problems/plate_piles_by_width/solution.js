function platePilesByWidth(plates) {
  const piles = [];
  for (const plate of plates) {
    const pile = piles.find((candidate) => candidate.at(-1) >= plate);
    if (pile) pile.push(plate);
    else piles.push([plate]);
  }
  return piles;
}
