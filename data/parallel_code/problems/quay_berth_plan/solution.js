function quayBerthPlan(quay, ships) {
  const freeFrom = new Array(quay).fill(0);
  let time = 0;
  return ships.map(([arrival, length, stay]) => {
    if (length > quay) return [-1, -1];
    time = Math.max(time, arrival);
    const readyAt = freeFrom
      .slice(0, quay - length + 1)
      .map((_, position) => Math.max(time, ...freeFrom.slice(position, position + length)));
    time = Math.min(...readyAt);
    const position = readyAt.indexOf(time);
    freeFrom.fill(time + stay, position, position + length);
    return [time, position];
  });
}
