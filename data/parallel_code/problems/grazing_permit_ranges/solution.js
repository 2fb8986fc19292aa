function grazingPermitRanges(entries) {
  const marks = [...new Set(entries.flatMap(([, first, last]) => [first, last + 1]))].sort(
    (a, b) => a - b
  );
  const isPermitted = (plot) =>
    entries
      .filter(([, first, last]) => first <= plot && plot <= last)
      .reduce((permitted, [kind]) => (kind === 2 ? !permitted : kind === 1), false);

  const ranges = [];
  marks.forEach((mark, i) => {
    if (!isPermitted(mark)) return;
    const last = marks[i + 1] - 1;
    if (ranges.at(-1)?.[1] === mark - 1) ranges.at(-1)[1] = last;
    else ranges.push([mark, last]);
  });
  return ranges;
}
