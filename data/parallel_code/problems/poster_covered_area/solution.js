function posterCoveredArea(posters) {
  const overlap = ([l1, b1, r1, t1], [l2, b2, r2, t2]) => [
    Math.max(l1, l2),
    Math.max(b1, b2),
    Math.min(r1, r2),
    Math.min(t1, t2),
  ];
  const visible = posters.filter(([left, bottom, right, top]) => left < right && bottom < top);
  if (visible.length === 0) return 0;
  const [[left, bottom, right, top], ...rest] = visible;
  const shared = rest.map((poster) => overlap(visible[0], poster));
  return (right - left) * (top - bottom) + posterCoveredArea(rest) - posterCoveredArea(shared);
}
