from collections import Counter, defaultdict
from itertools import pairwise


def union(shifts: list[list[int]]) -> list[list[int]]:
    merged: list[list[int]] = []
    for start, end in sorted(shifts):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def guard_cover_shortfalls(
    guards: list[str], shifts: list[list[int]], hours: list[int], need: int
) -> list[list[int]]:
    opening, closing = hours
    own_shifts: defaultdict[str, list[list[int]]] = defaultdict(list)
    for guard, (start, end) in zip(guards, shifts):
        if start < closing and end > opening:
            own_shifts[guard].append([max(start, opening), min(end, closing)])

    changes = Counter({opening: 0, closing: 0})
    for own in own_shifts.values():
        for start, end in union(own):
            changes[start] += 1
            changes[end] -= 1

    shortfalls: list[list[int]] = []
    missing = need
    for start, end in pairwise(sorted(changes)):
        missing -= changes[start]
        if missing <= 0:
            continue
        if shortfalls and shortfalls[-1][1:] == [start, missing]:
            shortfalls[-1][1] = end
        else:
            shortfalls.append([start, end, missing])
    return shortfalls
