function quiltPanelShapes(patches, maxRatio) {
  const longestShortSide = Math.floor(Math.sqrt(patches));
  return Array.from({ length: longestShortSide }, (_, i) => [i + 1, patches / (i + 1)]).filter(
    ([short, long]) => Number.isInteger(long) && long <= maxRatio * short,
  );
}
