from collections import Counter
from itertools import groupby
from typing import NamedTuple


class Match(NamedTuple):
    home: str
    away: str
    score: int
    against: int


def tally(matches: list[Match]) -> tuple[Counter[str], Counter[str]]:
    points: Counter[str] = Counter()
    margins: Counter[str] = Counter()
    for match in matches:
        margin = match.score - match.against
        margins[match.home] += margin
        margins[match.away] -= margin
        if margin == 0:
            points.update([match.home, match.away])
        else:
            points[match.home if margin > 0 else match.away] += 3
    return points, margins


def curling_final_table(homes: list[str], aways: list[str], scores: list[list[int]]) -> list[str]:
    matches = [Match(home, away, *score) for home, away, score in zip(homes, aways, scores)]
    points, margins = tally(matches)

    def standing(team: str) -> tuple[int, int]:
        return -points[team], -margins[team]

    table: list[str] = []
    for _, group in groupby(sorted({*homes, *aways}, key=standing), key=standing):
        level = set(group)
        shared = [match for match in matches if {match.home, match.away} <= level]
        mutual, _ = tally(shared)
        table += sorted(level, key=lambda team: (-mutual[team], team))
    return table
