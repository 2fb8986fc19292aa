function shortCrowdCount(count) {
  if (count < 1e3) {
    return String(count);
  }
  const [unit, suffix] = count < 1e6 ? [1e3, "k"] : count < 1e9 ? [1e6, "m"] : [1e9, "bn"];
  const tenths = Math.floor(count / (unit / 10));
  return (tenths < 100 ? tenths / 10 : Math.floor(tenths / 10)) + suffix;
}
