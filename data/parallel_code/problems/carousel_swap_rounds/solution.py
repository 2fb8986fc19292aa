from math import lcm


def carousel_swap_rounds(moves: list[int]) -> int:
    rounds = 1
    visited: set[int] = set()
    for seat in range(len(moves)):
        cycle = []
        while seat not in visited:
            visited.add(seat)
            cycle.append(seat)
            seat = moves[seat]
        rounds = lcm(rounds, len(cycle) or 1)
    return rounds
