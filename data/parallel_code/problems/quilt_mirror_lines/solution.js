function quiltMirrorLines(patches) {
  const columns = [...(patches[0] ?? "")].map((_, c) => patches.map((row) => row[c]).join(""));
  const mirrored = (line) => line === [...line].reverse().join("");
  return [...patches, ...columns].filter(mirrored).length;
}
