function mowerLawnCoverage(width, height, commands) {
  let [x, y, east, north, bumps] = [0, 0, 0, 1, 0];
  const mown = new Set(["0,0"]);
  for (const command of commands) {
    const [nextX, nextY] = [x + east, y + north];
    const fenced = nextX < 0 || nextX >= width || nextY < 0 || nextY >= height;
    if (command === "F" && !fenced) {
      [x, y] = [nextX, nextY];
      mown.add(`${x},${y}`);
    } else if (command === "R" || command === "F") {
      [east, north] = [north, -east];
      if (command === "F") bumps += 1;
    } else if (command === "L") {
      [east, north] = [-north, east];
    }
  }
  return [mown.size, bumps];
}
