function shelfQueryMatches(query, items) {
  const contains = (value, text) => value.toLowerCase().includes(text.toLowerCase());
  const isWhole = (value) => /^-?\d+$/.test(value);
  const tests = {
    ":": contains,
    "=": (value, text) => value === text,
    "<": (value, text) => isWhole(value) && Number(value) < Number(text),
    ">": (value, text) => isWhole(value) && Number(value) > Number(text),
  };

  const holds = (item, term) => {
    const [, minus, field, sign = ":", text] = term.match(/^(-?)(?:([a-z]+)([:=<>]))?(.+)$/);
    const values = Object.entries(item)
      .filter(([name]) => field === undefined || name === field)
      .map(([, value]) => value);
    return values.some((value) => tests[sign](value, text)) !== (minus === "-");
  };

  const terms = query.split(" ").filter(Boolean);
  return [...items.keys()].filter((i) => terms.every((term) => holds(items[i], term)));
}
