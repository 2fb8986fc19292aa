function archiveOutline(names, parents) {
  const section = (parent, prefix) =>
    names
      .map((_, i) => i)
      .filter((i) => parents[i] === parent)
      .flatMap((child, i) => {
        const label = `${prefix}${i + 1}`;
        return [`${label} ${names[child]}`, ...section(child, `${label}.`)];
      });
  return section(-1, '');
}
