function classifyKeyingSlip(meant, typed) {
  if (meant === typed) {
    return "same";
  }
  const without = (i) => meant.slice(0, i) + meant.slice(i + 1);
  const doubled = (i) => meant.slice(0, i) + meant[i] + meant.slice(i);
  const swapped = (i) => meant.slice(0, i) + meant[i + 1] + meant[i] + meant.slice(i + 2);
  const places = [...Array(meant.length).keys()];

  if (meant.length === typed.length) {
    if (places.filter((i) => meant[i] !== typed[i]).length === 1) {
      return "change";
    }
    return places.slice(1).some((i) => swapped(i - 1) === typed) ? "swap" : "other";
  }
  if (places.some((i) => without(i) === typed)) {
    return "drop";
  }
  return places.some((i) => doubled(i) === typed) ? "double" : "other";
}
