function crateTotalWeight(contents, weights, crate) {
  return (contents[crate] ?? []).reduce(
    (total, name) => total + crateTotalWeight(contents, weights, name),
    weights[crate] ?? 0,
  );
}
