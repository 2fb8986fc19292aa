function cableCrossingPairs(cables) {
  const turn = ([x1, y1, x2, y2], x, y) => Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1));
  const holds = (cable, x, y) => {
    const [x1, y1, x2, y2] = cable;
    return turn(cable, x, y) === 0 && (x - x1) * (x - x2) <= 0 && (y - y1) * (y - y2) <= 0;
  };
  const splits = (cable, [x1, y1, x2, y2]) => turn(cable, x1, y1) * turn(cable, x2, y2) < 0;
  const touch = (a, b) =>
    (splits(a, b) && splits(b, a)) ||
    holds(a, b[0], b[1]) ||
    holds(a, b[2], b[3]) ||
    holds(b, a[0], a[1]) ||
    holds(b, a[2], a[3]);
  return cables.reduce((pairs, a, i) => pairs + cables.slice(i + 1).filter((b) => touch(a, b)).length, 0);
}
