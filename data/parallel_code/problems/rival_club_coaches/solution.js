function rivalClubCoaches(clubs, rivals) {
  const foes = Array.from({ length: clubs }, () => []);
  for (const [a, b] of rivals) {
    foes[a].push(b);
    foes[b].push(a);
  }
  const coach = new Array(clubs).fill("");
  for (let first = 0; first < clubs; first++) {
    if (coach[first]) continue;
    coach[first] = "A";
    const queue = [first];
    for (const club of queue) {
      for (const foe of foes[club]) {
        if (coach[foe] === coach[club]) return "";
        if (coach[foe]) continue;
        coach[foe] = coach[club] === "A" ? "B" : "A";
        queue.push(foe);
      }
    }
  }
  return coach.join("");
}
