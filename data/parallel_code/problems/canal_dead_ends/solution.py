from collections import Counter


def canal_dead_ends(canals: list[list[int]]) -> list[int]:
    ends = Counter(basin for canal in canals for basin in canal)
    return sorted(basin for basin, count in ends.items() if count == 1)
