function gardenBedShape(corners) {
  const [a, b, c, d] = corners.map(([x, y], i) => {
    const [toX, toY] = corners[(i + 1) % 4];
    return [toX - x, toY - y];
  });
  const cross = (u, v) => u[0] * v[1] - u[1] * v[0];
  const dot = (u, v) => u[0] * v[0] + u[1] * v[1];
  const parallelPairs = [cross(a, c), cross(b, d)].filter((product) => product === 0).length;
  if (parallelPairs === 0) return "irregular";
  if (parallelPairs === 1) return "trapezium";
  const even = dot(a, a) === dot(b, b);
  if (dot(a, b) === 0) return even ? "square" : "rectangle";
  return even ? "rhombus" : "parallelogram";
}
