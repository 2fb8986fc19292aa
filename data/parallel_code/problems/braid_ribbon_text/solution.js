function braidRibbonText(strands) {
  const longest = Math.max(0, ...strands.map((strand) => strand.length));
  let ribbon = "";
  for (let i = 0; i < longest; i++) {
    for (const strand of strands) {
      ribbon += strand.charAt(i);
    }
  }
  return ribbon;
}
