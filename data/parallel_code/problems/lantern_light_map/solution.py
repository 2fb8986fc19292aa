DIRECTIONS = [(-1, 0), (1, 0), (0, -1), (0, 1)]


def lantern_light_map(cave: list[str]) -> list[str]:
    cells = {(r, c): cell for r, row in enumerate(cave) for c, cell in enumerate(row)}
    lit = set()
    for lantern, kind in cells.items():
        if kind != "*":
            continue
        for down, across in DIRECTIONS:
            r, c = lantern
            while cells.get((r, c), "#") != "#":
                lit.add((r, c))
                r, c = r + down, c + across
    return [
        "".join("o" if cell == "." and (r, c) in lit else cell for c, cell in enumerate(row))
        for r, row in enumerate(cave)
    ]
