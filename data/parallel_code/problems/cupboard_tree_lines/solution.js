function cupboardTreeLines(places) {
  const root = new Map();
  for (const place of places) {
    let node = root;
    for (const name of place.split("/")) {
      if (!node.has(name)) {
        node.set(name, new Map());
      }
      node = node.get(name);
    }
  }

  const draw = (node) => {
    const names = [...node.keys()].sort();
    return names.flatMap((name, i) => {
      const [branch, indent] = i < names.length - 1 ? ["|-- ", "|   "] : ["`-- ", "    "];
      return [branch + name, ...draw(node.get(name)).map((line) => indent + line)];
    });
  };
  return draw(root);
}
