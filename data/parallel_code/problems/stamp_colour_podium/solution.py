from collections import Counter


def stamp_colour_podium(colours: list[str], places: int) -> list[str]:
    counts = Counter(sorted(colours))
    return [colour for colour, _ in counts.most_common(places)]
