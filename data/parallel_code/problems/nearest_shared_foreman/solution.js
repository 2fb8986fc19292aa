function nearestSharedForeman(foremen, first, second) {
  const above = new Set();
  for (let worker = second; worker >= 0; worker = foremen[worker]) above.add(worker);
  let shared = first;
  while (shared >= 0 && !above.has(shared)) shared = foremen[shared];
  return shared;
}
