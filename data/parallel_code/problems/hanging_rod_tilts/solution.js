function hangingRodTilts(rods) {
  const weight = (load) => (load < 0 ? weight(rods[-load][1]) + weight(rods[-load][3]) : load);
  return rods.map(([arm, left, otherArm, right]) => arm * weight(left) - otherArm * weight(right));
}
