from bisect import bisect_left, bisect_right
from enum import IntEnum


class Kind(IntEnum):
    FORBID = 0
    PERMIT = 1
    FLIP = 2


def set_range(edges: list[int], start: int, end: int, permitted: bool) -> list[int]:
    low = bisect_left(edges, start)
    high = bisect_right(edges, end)
    permitted_before = low % 2 == 1
    permitted_after = high % 2 == 1
    inner = []
    if permitted_before != permitted:
        inner.append(start)
    if permitted_after != permitted:
        inner.append(end)
    return [*edges[:low], *inner, *edges[high:]]


def grazing_permit_ranges(entries: list[list[int]]) -> list[list[int]]:
    edges: list[int] = []
    for kind, first, last in entries:
        start, end = first, last + 1
        if kind == Kind.FLIP:
            edges = sorted({*edges} ^ {start, end})
        else:
            edges = set_range(edges, start, end, permitted=kind == Kind.PERMIT)
    return [[start, end - 1] for start, end in zip(edges[::2], edges[1::2])]
