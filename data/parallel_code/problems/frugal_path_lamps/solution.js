function frugalPathLamps(length, lamps) {
  const path = Array.from({ length }, (_, metre) => metre);
  const lit = lamps.map(([position, reach]) =>
    path.slice(Math.max(0, position - reach), Math.max(0, position + reach))
  );
  const burning = new Set(lamps.keys());
  lit.forEach((metres, lamp) => {
    burning.delete(lamp);
    const lights = new Set([...burning].flatMap((other) => lit[other]));
    if (!metres.every((metre) => lights.has(metre))) burning.add(lamp);
  });
  return [...burning].sort((a, b) => a - b);
}
