def dye_bath_sequence(costs: list[list[int]], rinse: int) -> list[int]:
    if not costs:
        return []
    baths = range(len(costs[0]))

    def step(bath: int, following: int) -> int:
        return rinse if bath != following else 0

    totals = [costs[-1]]
    for row in reversed(costs[:-1]):
        after = totals[-1]
        totals.append([row[b] + min(step(b, n) + after[n] for n in baths) for b in baths])

    sequence: list[int] = []
    for ahead in reversed(totals):
        previous = sequence[-1:]
        sequence.append(min(baths, key=lambda b: ahead[b] + sum(step(p, b) for p in previous)))
    return sequence
