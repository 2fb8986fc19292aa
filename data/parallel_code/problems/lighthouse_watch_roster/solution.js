function lighthouseWatchRoster(nights, absences, maxWatches, rest) {
  const names = Object.keys(absences).sort();

  const free = (name, roster) =>
    !absences[name].includes(roster.length) &&
    !roster.slice(Math.max(0, roster.length - rest)).includes(name) &&
    roster.filter((keeper) => keeper === name).length < maxWatches;

  const complete = (roster) => {
    if (roster.length === nights) return roster;
    for (const name of names) {
      const full = free(name, roster) && complete([...roster, name]);
      if (full) return full;
    }
    return null;
  };

  return complete([]) ?? [];
}
