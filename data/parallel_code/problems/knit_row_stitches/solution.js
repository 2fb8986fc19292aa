function knitRowStitches(row, needle) {
  const read = (part) =>
    [...part.matchAll(/([a-z]+)(\d*)/g)].map(([, name, number]) => [name, Number(number || 1)]);
  const size = (stitches) => stitches.reduce((sum, [, count]) => sum + count, 0);

  const [start, section = [], end = []] = row.split("*").map(read);
  const fixed = [...start, ...end];
  const spare = Math.max(0, needle - size(fixed));
  const times = section.length ? Math.floor(spare / size(section)) : 0;

  const result = { left: needle - size(fixed) - times * size(section) };
  for (const [name, count] of fixed) {
    result[name] = (result[name] ?? 0) + count;
  }
  for (const [name, count] of times ? section : []) {
    result[name] = (result[name] ?? 0) + times * count;
  }
  return result;
}
