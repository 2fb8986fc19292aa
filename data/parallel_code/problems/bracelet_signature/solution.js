function braceletSignature(beads) {
  const rotations = (way) => [...way].map((_, i) => way.slice(i) + way.slice(0, i));
  const backwards = [...beads].reverse().join("");
  const readings = [beads, backwards].flatMap(rotations);
  return readings.sort()[0] ?? "";
}
