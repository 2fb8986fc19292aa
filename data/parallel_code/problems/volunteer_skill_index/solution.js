function volunteerSkillIndex(roster) {
  const names = Object.keys(roster).sort();
  const skills = new Set(names.flatMap((name) => roster[name]));
  return Object.fromEntries(
    [...skills].map((skill) => [skill, names.filter((name) => roster[name].includes(skill))])
  );
}
