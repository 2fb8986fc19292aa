function hallVisitCrosstab(days, halls) {
  const columns = [...new Set(halls)].sort();
  const countRow = (noted) => [
    ...columns.map((hall) => noted.filter((other) => other === hall).length),
    noted.length,
  ];
  const rows = [...new Set(days)]
    .sort()
    .map((day) => countRow(halls.filter((_, i) => days[i] === day)));
  return [...rows, countRow(halls)];
}
