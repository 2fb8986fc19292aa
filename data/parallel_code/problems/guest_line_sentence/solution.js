function guestLineSentence(names, limit) {
  const hidden = names.length - limit;
  const parts = names.slice(0, limit);
  if (hidden > 0) {
    parts.push(hidden === 1 ? "1 other" : `${hidden} others`);
  }
  const last = parts.pop() ?? "nobody";
  return [parts.join(", "), last].filter(Boolean).join(" and ");
}
