def pond_census(field: list[str]) -> list[list[int]]:
    water = {(r, c) for r, row in enumerate(field) for c, cell in enumerate(row) if cell == "~"}
    bottom = len(field) - 1
    right = len(field[0]) - 1 if field else -1

    def shoreline(r: int, c: int) -> int:
        sides = [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
        return sum(side not in water for side in sides)

    def on_border(r: int, c: int) -> bool:
        return r in (0, bottom) or c in (0, right)

    unseen = set(water)
    census = []
    while unseen:
        pond = []
        waiting = [unseen.pop()]
        while waiting:
            r, c = waiting.pop()
            pond.append((r, c))
            nearby = {(r + dr, c + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1)} & unseen
            unseen -= nearby
            waiting.extend(nearby)
        shore = sum(shoreline(r, c) for r, c in pond)
        border = int(any(on_border(r, c) for r, c in pond))
        census.append([len(pond), shore, border])
    return sorted(census, key=lambda report: (-report[0], report[1], report[2]))
