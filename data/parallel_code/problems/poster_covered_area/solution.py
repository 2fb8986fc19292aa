from itertools import pairwise


def poster_covered_area(posters: list[list[int]]) -> int:
    edges = sorted({x for left, _, right, _ in posters for x in (left, right)})
    area = 0
    for start, end in pairwise(edges):
        spans = sorted(
            (bottom, top) for left, bottom, right, top in posters if left <= start and end <= right
        )
        covered = 0
        reached = spans[0][0] if spans else 0
        for bottom, top in spans:
            covered += max(0, top - max(bottom, reached))
            reached = max(reached, top)
        area += covered * (end - start)
    return area
