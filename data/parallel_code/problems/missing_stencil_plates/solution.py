from collections import Counter


def missing_stencil_plates(marks: list[str], plates: str) -> str:
    needed = Counter("".join(marks).replace(" ", ""))
    return "".join(sorted((needed - Counter(plates)).elements()))
