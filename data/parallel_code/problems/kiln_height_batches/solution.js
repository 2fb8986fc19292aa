function kilnHeightBatches(heights, slack, room) {
  const batches = [];
  for (const height of heights) {
    const open = batches.at(-1);
    const fits =
      open !== undefined &&
      open.length < room &&
      open.every((other) => Math.abs(other - height) <= slack);
    if (fits) open.push(height);
    else batches.push([height]);
  }
  return batches;
}
