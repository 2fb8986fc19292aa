from collections import Counter


def mosaic_floor_fillings(rows: list[str], singles: int) -> int:
    width = len(rows[0]) if rows else 0
    cells = "".join(rows) + "#" * width
    states = Counter({(0, 0): 1})
    for i in range(len(cells) - width):
        following: Counter[tuple[int, int]] = Counter()
        for (covered, used), ways in states.items():
            rest = covered >> 1
            if cells[i] == "#" or covered & 1:
                following[rest, used] += ways
                continue
            following[rest, used + 1] += ways
            if cells[i + width] == ".":
                following[rest | 1 << (width - 1), used] += ways
            if (i + 1) % width and cells[i + 1] == "." and not rest & 1:
                following[rest | 1, used] += ways
        states = following
    return states[0, singles]
