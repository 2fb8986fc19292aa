function isPrime(n) {
  if (n < 2) return false;
  for (let d = 2; d * d <= n; d++) {
    if (n % d === 0) return false;
  }
  return true;
}

function guardChannelGap(low, high) {
  let widest = [];
  let widestGap = 0;
  let previous = null;
  for (let channel = low; channel <= high; channel++) {
    if (!isPrime(channel)) continue;
    if (previous !== null && channel - previous > widestGap) {
      widestGap = channel - previous;
      widest = [previous, channel];
    }
    previous = channel;
  }
  return widest;
}
