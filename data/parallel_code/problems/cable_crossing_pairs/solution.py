from itertools import combinations
from typing import NamedTuple


class Cable(NamedTuple):
    x1: int
    y1: int
    x2: int
    y2: int

    def turn(self, x: int, y: int) -> int:
        return (self.x2 - self.x1) * (y - self.y1) - (self.y2 - self.y1) * (x - self.x1)

    def straddles(self, other: "Cable") -> bool:
        return self.turn(other.x1, other.y1) * self.turn(other.x2, other.y2) <= 0

    def box_meets(self, other: "Cable") -> bool:
        (left, right), (low, high) = sorted((self.x1, self.x2)), sorted((self.y1, self.y2))
        return (
            max(other.x1, other.x2) >= left
            and min(other.x1, other.x2) <= right
            and max(other.y1, other.y2) >= low
            and min(other.y1, other.y2) <= high
        )


def cable_crossing_pairs(cables: list[list[int]]) -> int:
    return sum(
        a.box_meets(b) and a.straddles(b) and b.straddles(a)
        for a, b in combinations([Cable(*cable) for cable in cables], 2)
    )
