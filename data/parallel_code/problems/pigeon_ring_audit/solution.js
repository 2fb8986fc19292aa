function pigeonRingAudit(rings, kinds, lofts) {
  const pigeons = new Map();
  rings.forEach((ring, i) => {
    const pigeon = pigeons.get(ring) ?? { faults: 0, strays: 0 };
    pigeons.set(ring, pigeon);
    if (pigeon.kind === kinds[i]) {
      pigeon.faults++;
      return;
    }
    if (pigeon.kind === "out" && pigeon.loft !== lofts[i]) pigeon.strays++;
    pigeon.kind = kinds[i];
    pigeon.loft = lofts[i];
  });
  return [...pigeons.keys()].sort().flatMap((ring) => {
    const { kind, faults, strays } = pigeons.get(ring);
    if (kind === "in" && faults + strays === 0) return [];
    return `${ring}: ${faults} faults, ${strays} strays, ${kind === "out" ? "away" : "home"}`;
  });
}
