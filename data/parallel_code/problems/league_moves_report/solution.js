function leagueMovesReport(before, after) {
  const gain = (player) => before.indexOf(player) - after.indexOf(player);
  const stayed = after.filter((player) => before.includes(player));
  return {
    up: stayed.filter((p) => gain(p) > 0).sort((p, q) => gain(q) - gain(p)),
    down: stayed.filter((p) => gain(p) < 0).sort((p, q) => gain(p) - gain(q)),
    same: stayed.filter((p) => gain(p) === 0),
    new: after.filter((p) => !before.includes(p)),
    gone: before.filter((p) => !after.includes(p)),
  };
}
