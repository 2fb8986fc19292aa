function sharedMeetingSlots(calendars, opening, closing, minimum) {
  const busy = calendars.flat();
  const isFree = (from, until) => busy.every(([start, end]) => end <= from || until <= start);
  const starts = [opening, ...busy.map(([, end]) => end)];
  const ends = [closing, ...busy.map(([start]) => start)];
  return [...new Set(starts)]
    .filter((from) => from >= opening)
    .sort((a, b) => a - b)
    .map((from) => [from, Math.min(...ends.filter((until) => until >= from))])
    .filter(([from, until]) => until <= closing && until - from >= minimum && isFree(from, until));
}
