function kthLightestPair(weights, k) {
  const combined = weights
    .flatMap((first, i) => weights.slice(i + 1).map((second) => first + second))
    .sort((a, b) => a - b);
  return combined[k - 1] ?? -1;
}
