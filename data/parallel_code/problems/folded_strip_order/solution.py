def folded_strip_order(panels: int, folds: str) -> list[int]:
    def fold(piles: list[list[int]], sides: str) -> list[int]:
        if not sides:
            return piles[0]
        half = len(piles) // 2
        left, right = piles[:half], piles[half:]
        over, under = (left, right) if sides[0] == "L" else (right, left)
        return fold([top[::-1] + low for top, low in zip(over[::-1], under)], sides[1:])

    return fold([[number] for number in range(1, panels + 1)], folds)
