from bisect import bisect_left


def plate_piles_by_width(plates: list[int]) -> list[list[int]]:
    piles: list[list[int]] = []
    for plate in plates:
        target = bisect_left(piles, plate, key=lambda pile: pile[-1])
        if target == len(piles):
            piles.append([])
        piles[target].append(plate)
    return piles
