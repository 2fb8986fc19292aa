function ropeTeamCounts(climbers, ties) {
  let team = Array.from({ length: climbers }, (_, climber) => climber);
  return ties.map(([a, b]) => {
    const [kept, joined] = [team[a], team[b]];
    team = team.map((t) => (t === joined ? kept : t));
    return new Set(team).size;
  });
}
