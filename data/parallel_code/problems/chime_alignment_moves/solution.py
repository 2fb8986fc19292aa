from functools import cache


def chime_alignment_moves(first: list[int], second: list[int], gap: int) -> str:
    @cache
    def best(i: int, j: int) -> tuple[int, str]:
        if i == len(first) or j == len(second):
            left, right = len(first) - i, len(second) - j
            return gap * (left + right), "F" * left + "S" * right
        options = []
        for letter, step, (k, m) in (
            ("M", abs(first[i] - second[j]), (i + 1, j + 1)),
            ("F", gap, (i + 1, j)),
            ("S", gap, (i, j + 1)),
        ):
            cost, letters = best(k, m)
            options.append((step + cost, letter + letters))
        return min(options, key=lambda option: option[0])

    return best(0, 0)[1]
