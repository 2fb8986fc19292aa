function shadedPatioArea(shadow, [left, bottom, right, top]) {
  const clip = (corners, depth) =>
    corners.flatMap((end, i) => {
      const start = corners.at(i - 1);
      const [before, after] = [depth(start), depth(end)];
      const share = before / (before - after);
      const crossing = start.map((value, axis) => value + share * (end[axis] - value));
      return [...(before * after < 0 ? [crossing] : []), ...(after >= 0 ? [end] : [])];
    });
  const sides = [([x]) => x - left, ([x]) => right - x, ([, y]) => y - bottom, ([, y]) => top - y];
  const doubled = sides.reduce(clip, shadow).reduce((sum, [x, y], i, corners) => {
    const [beforeX, beforeY] = corners.at(i - 1);
    return sum + beforeX * y - x * beforeY;
  }, 0);
  return Math.abs(doubled) / 2;
}
