from collections import Counter


def panel_tasting_order(rankings: list[list[str]]) -> list[str]:
    points: Counter[str] = Counter()
    firsts: Counter[str] = Counter()
    for ranking in rankings:
        firsts.update(ranking[:1])
        for earned, cheese in enumerate(reversed(ranking), start=1):
            points[cheese] += earned
    return sorted(points, key=lambda cheese: (-points[cheese], -firsts[cheese], cheese))
