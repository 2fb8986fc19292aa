function evenBookcaseCut(thicknesses) {
  const total = thicknesses.reduce((sum, t) => sum + t, 0);
  let [best, smallest, left] = [0, total, 0];
  thicknesses.forEach((thickness, i) => {
    left += thickness;
    const difference = Math.abs(total - 2 * left);
    if (difference < smallest) [best, smallest] = [i + 1, difference];
  });
  return best;
}
