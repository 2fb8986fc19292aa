Point = tuple[float, float]


def area(corners: list[Point]) -> float:
    doubled = 0.0
    for i, (x, y) in enumerate(corners):
        before_x, before_y = corners[i - 1]
        doubled += before_x * y - x * before_y
    return abs(doubled) / 2


def between(start: Point, end: Point, share: float) -> Point:
    x, y = start
    return x + share * (end[0] - x), y + share * (end[1] - y)


def clip(corners: list[Point], axis: int, sign: int, bound: int) -> list[Point]:
    kept = []
    for i, end in enumerate(corners):
        start = corners[i - 1]
        start_depth = sign * (start[axis] - bound)
        end_depth = sign * (end[axis] - bound)
        if start_depth * end_depth < 0:
            kept.append(between(start, end, start_depth / (start_depth - end_depth)))
        if end_depth >= 0:
            kept.append(end)
    return kept


def shaded_patio_area(shadow: list[list[int]], patio: list[int]) -> float:
    left, bottom, right, top = patio
    corners = [(float(x), float(y)) for x, y in shadow]
    corners = clip(corners, 0, 1, left)
    corners = clip(corners, 0, -1, right)
    corners = clip(corners, 1, 1, bottom)
    corners = clip(corners, 1, -1, top)
    return area(corners)
