from collections import Counter
from itertools import pairwise


def pool_peak_crowd(entries: list[int], exits: list[int]) -> list[int]:
    changes = Counter(entries)
    changes.subtract(exits)
    crowd = peak = lasted = 0
    reached = -1
    for minute, following in pairwise(sorted(changes)):
        crowd += changes[minute]
        if crowd > peak:
            peak, reached, lasted = crowd, minute, 0
        if crowd == peak:
            lasted += following - minute
    return [peak, reached, lasted]
