function bridgeSensorGaps(readings, longest) {
  const known = [...readings.keys()].filter((i) => readings[i] !== -1);
  if (known.length === 0) return [...readings];
  return readings.map((reading, i) => {
    if (reading !== -1) return reading;
    const left = known.findLast((k) => k < i) ?? -1;
    const right = known.find((k) => k > i) ?? readings.length;
    if (right - left - 1 > longest) return -1;
    if (left < 0) return readings[right];
    if (right === readings.length) return readings[left];
    return right - i < i - left ? readings[right] : readings[left];
  });
}
