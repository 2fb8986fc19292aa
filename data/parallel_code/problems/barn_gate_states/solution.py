from itertools import accumulate

NEXT_STATE = {
    ("shut", "latch"): "latched",
    ("latched", "unlatch"): "shut",
    ("shut", "push"): "open out",
    ("open in", "push"): "shut",
    ("shut", "pull"): "open in",
    ("open out", "pull"): "shut",
}


def barn_gate_states(moves: list[str]) -> list[str]:
    states = accumulate(moves, lambda at, move: NEXT_STATE.get((at, move), at), initial="shut")
    return list(states)[1:]
