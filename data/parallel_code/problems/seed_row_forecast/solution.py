from itertools import pairwise


def differences(counts: list[int]) -> list[int]:
    return [after - before for before, after in pairwise(counts)]


def steady(counts: list[int]) -> int | None:
    steps = set(differences(counts))
    return counts[-1] + steps.pop() if len(steps) == 1 else None


def scaled(counts: list[int]) -> int | None:
    first, second = counts[:2]
    if first == 0 or any(after * first != before * second for before, after in pairwise(counts)):
        return None
    following, rest = divmod(counts[-1] * second, first)
    return None if rest else following


def summed(counts: list[int]) -> int | None:
    triples = zip(counts, counts[1:], counts[2:])
    if len(counts) < 4 or any(a + b != c for a, b, c in triples):
        return None
    return counts[-2] + counts[-1]


def curved(counts: list[int]) -> int | None:
    step = steady(differences(counts)) if len(counts) >= 4 else None
    return None if step is None else counts[-1] + step


def woven(counts: list[int]) -> int | None:
    if len(counts) < 5:
        return None
    other, own = steady(counts[-1::-2][::-1]), steady(counts[-2::-2][::-1])
    return None if other is None else own


def seed_row_forecast(counts: list[int]) -> str:
    if len(counts) < 3:
        return "unknown"
    for rule in (steady, scaled, summed, curved, woven):
        following = rule(counts)
        if following is not None:
            return f"{rule.__name__} {following}"
    return "irregular"
