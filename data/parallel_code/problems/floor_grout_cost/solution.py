from itertools import pairwise


def floor_grout_cost(floor: list[str]) -> int:
    def seam(a: str, b: str) -> int:
        if a == b:
            return 0
        return 2 if "." in (a, b) else 1

    columns = ["".join(column) for column in zip(*floor)]
    return sum(seam(a, b) for line in floor + columns for a, b in pairwise(line))
