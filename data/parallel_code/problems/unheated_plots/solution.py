from itertools import product


def unheated_plots(plots: list[str], reach: int) -> int:
    cells = [(r, c, cell) for r, row in enumerate(plots) for c, cell in enumerate(row)]
    planted = {(r, c) for r, c, cell in cells if cell == "."}
    heaters = [(r, c) for r, c, cell in cells if cell == "H"]
    offsets = [
        (down, across)
        for down, across in product(range(-reach, reach + 1), repeat=2)
        if abs(down) + abs(across) <= reach
    ]
    return len(planted - {(r + dr, c + dc) for r, c in heaters for dr, dc in offsets})
