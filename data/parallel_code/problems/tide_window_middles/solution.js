function tideWindowMiddles(levels, width) {
  const middle = (width - 1) / 2;
  return levels
    .map((_, i) => levels.slice(i, i + width))
    .filter((window) => window.length === width)
    .map((window) => window.sort((a, b) => a - b)[middle]);
}
