function curlingFinalTable(homes, aways, scores) {
  const table = new Map();
  const team = (name) => {
    if (!table.has(name)) table.set(name, { name, points: 0, margin: 0, mutual: 0 });
    return table.get(name);
  };
  const award = (home, away, margin, key) => {
    if (margin >= 0) home[key] += margin > 0 ? 3 : 1;
    if (margin <= 0) away[key] += margin < 0 ? 3 : 1;
  };
  const matches = scores.map(([score, against], i) => ({
    home: team(homes[i]),
    away: team(aways[i]),
    margin: score - against,
  }));

  for (const { home, away, margin } of matches) {
    home.margin += margin;
    away.margin -= margin;
    award(home, away, margin, "points");
  }
  for (const { home, away, margin } of matches) {
    const level = home.points === away.points && home.margin === away.margin;
    if (level) award(home, away, margin, "mutual");
  }

  return [...table.values()]
    .sort(
      (a, b) =>
        b.points - a.points ||
        b.margin - a.margin ||
        b.mutual - a.mutual ||
        (a.name < b.name ? -1 : 1)
    )
    .map(({ name }) => name);
}
