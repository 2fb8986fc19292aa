from itertools import pairwise, permutations


def feud_free_seatings(guests: list[str], feuds: list[list[str]]) -> list[list[str]]:
    hostile = {frozenset(feud) for feud in feuds}
    return [
        list(bench)
        for bench in permutations(sorted(guests))
        if hostile.isdisjoint(map(frozenset, pairwise(bench)))
    ]
