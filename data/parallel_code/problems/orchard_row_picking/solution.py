def orchard_row_picking(yields: list[int], rests: list[int]) -> int:
    best = [0] * (len(yields) + 1)
    for i in reversed(range(len(yields))):
        after_cooling = min(i + 1 + rests[i], len(yields))
        best[i] = max(best[i + 1], yields[i] + best[after_cooling])
    return best[0]
