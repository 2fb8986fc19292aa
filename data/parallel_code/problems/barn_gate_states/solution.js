function barnGateStates(moves) {
  const transitions = {
    shut: { latch: "latched", push: "open out", pull: "open in" },
    latched: { unlatch: "shut" },
    "open in": { push: "shut" },
    "open out": { pull: "shut" },
  };
  let state = "shut";
  return moves.map((move) => (state = transitions[state][move] ?? state));
}
