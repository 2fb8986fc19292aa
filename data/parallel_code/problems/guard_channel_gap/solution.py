from collections.abc import Iterable
from itertools import pairwise
from math import isqrt


def not_divided(low: int, high: int, divisors: Iterable[int]) -> list[int]:
    kept = [True] * (high - low + 1)
    for divisor in divisors:
        first = max(divisor, -(-low // divisor)) * divisor
        for multiple in range(first, high + 1, divisor):
            kept[multiple - low] = False
    return [number for number, keep in enumerate(kept, start=low) if keep]


def guard_channel_gap(low: int, high: int) -> list[int]:
    root = isqrt(high)
    small_primes = not_divided(2, root, range(2, isqrt(root) + 1))
    guards = not_divided(max(low, 2), high, small_primes)
    return list(max(pairwise(guards), key=lambda pair: pair[1] - pair[0], default=[]))
