function guardCoverShortfalls(guards, shifts, [opening, closing], need) {
  const onDuty = (moment) =>
    new Set(guards.filter((_, i) => shifts[i][0] <= moment && moment < shifts[i][1])).size;
  const starts = [...new Set([opening, ...shifts.flat()])]
    .filter((mark) => mark >= opening && mark < closing)
    .sort((a, b) => a - b);
  return starts
    .map((start) => ({ start, missing: Math.max(0, need - onDuty(start)) }))
    .filter(({ missing }, i, spans) => spans[i - 1]?.missing !== missing)
    .map(({ start, missing }, i, spans) => [start, spans[i + 1]?.start ?? closing, missing])
    .filter(([, , missing]) => missing > 0);
}
