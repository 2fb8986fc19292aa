from itertools import combinations


def kth_lightest_pair(weights: list[int], k: int) -> int:
    combined = sorted(map(sum, combinations(weights, 2)))
    return combined[k - 1] if k <= len(combined) else -1
