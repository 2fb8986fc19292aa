function kilnConfigSections(text) {
  const sections = {};
  let current = "base";
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith("#"));

  for (const line of lines) {
    const heading = line.match(/^\[(.*)\]$/);
    if (heading) {
      current = heading[1].trim();
      sections[current] ??= {};
      continue;
    }
    const entries = (sections[current] ??= {});
    const [, key, sign, value] = line.match(/^(.*?)\s*(?:(\+\s*=|=)\s*(.*))?$/);
    if (!sign) {
      entries[key] = "on";
    } else if (sign === "=") {
      entries[key] = value;
    } else {
      entries[key] = [entries[key], value].filter(Boolean).join(" ");
    }
  }
  return sections;
}
