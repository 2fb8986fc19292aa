function chalkboardToTags(text) {
  const tags = { "*": "b", _: "u", "~": "s" };
  const open = [];
  const closeFrom = (depth) =>
    open
      .splice(depth)
      .reverse()
      .map((tag) => `</${tag}>`)
      .join("");

  const body = text.replace(/\\(.)|[*_~]/gs, (mark, escaped) => {
    if (escaped !== undefined) {
      return escaped;
    }
    const depth = open.indexOf(tags[mark]);
    if (depth >= 0) {
      return closeFrom(depth);
    }
    open.push(tags[mark]);
    return `<${tags[mark]}>`;
  });
  return body + closeFrom(0);
}
