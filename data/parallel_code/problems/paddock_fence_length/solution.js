function paddockFenceLength(posts) {
  return posts.reduce((length, [x, y], i) => {
    const [fromX, fromY] = posts.at(i - 1);
    return length + Math.hypot(x - fromX, y - fromY);
  }, 0);
}
