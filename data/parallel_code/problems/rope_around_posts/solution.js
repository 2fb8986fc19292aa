function ropeAroundPosts(posts) {
  if (posts.length === 0) return [];
  const squared = ([x1, y1], [x2, y2]) => (x1 - x2) ** 2 + (y1 - y2) ** 2;
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const first = posts.reduce((a, b) => (b[0] < a[0] || (b[0] === a[0] && b[1] < a[1]) ? b : a));
  const rope = [];
  let here = first;
  do {
    rope.push([...here]);
    const from = here;
    here = posts.reduce((best, post) => {
      const side = turn(from, best, post);
      const farther = squared(from, post) > squared(from, best);
      return side < 0 || (side === 0 && farther) ? post : best;
    });
  } while (squared(here, first) > 0);
  return rope;
}
