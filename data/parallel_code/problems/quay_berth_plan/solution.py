from typing import NamedTuple


class Berth(NamedTuple):
    position: int
    end: int
    leaves: int


def lowest_gap(quay: int, berths: list[Berth], length: int) -> int:
    edge = 0
    for berth in sorted(berths):
        if berth.position - edge >= length:
            return edge
        edge = berth.end
    return edge if quay - edge >= length else -1


def quay_berth_plan(quay: int, ships: list[list[int]]) -> list[list[int]]:
    plan = []
    berths = []
    time = 0
    for arrival, length, stay in ships:
        if length > quay:
            plan.append([-1, -1])
            continue
        time = max(time, arrival)
        while True:
            berths = [berth for berth in berths if berth.leaves > time]
            position = lowest_gap(quay, berths, length)
            if position >= 0:
                break
            time = min(berth.leaves for berth in berths)
        plan.append([time, position])
        berths.append(Berth(position, position + length, time + stay))
    return plan
