from collections import Counter
from itertools import combinations


def co_borrowed_titles(loans: list[list[str]]) -> list[list[str]]:
    together = Counter(pair for loan in loans for pair in combinations(sorted(set(loan)), 2))
    most = max(together.values(), default=0)
    if most < 2:
        return []
    return sorted(list(pair) for pair, count in together.items() if count == most)
