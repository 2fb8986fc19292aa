function ovenReadyMinute(ovens, target) {
  if (target === 0) return 0;
  if (ovens.length === 0) return -1;
  const delivered = (minute) =>
    ovens
      .filter(([warmUp]) => warmUp <= minute)
      .reduce((sum, [warmUp, period, loaves]) => sum + Math.floor((minute - warmUp) / period) * loaves, 0);
  let late = 1;
  while (delivered(late) < target) late *= 2;
  let early = 0;
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (delivered(middle) < target) early = middle;
    else late = middle;
  }
  return late;
}
