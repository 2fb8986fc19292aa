from itertools import accumulate


def even_bookcase_cut(thicknesses: list[int]) -> int:
    total = sum(thicknesses)
    lefts = list(accumulate(thicknesses, initial=0))
    return min(range(len(lefts)), key=lambda k: abs(total - 2 * lefts[k]))
