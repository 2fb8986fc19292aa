function drawerOutlinePaths(lines) {
  let trail = [];
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const depth = line.search(/\S/) / 2;
      trail = [...trail.slice(0, depth), line.trim()];
      return trail.join("/");
    });
}
