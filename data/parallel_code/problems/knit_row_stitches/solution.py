import re
from collections import Counter


def count_stitches(part: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name, number in re.findall(r"([a-z]+)(\d*)", part):
        counts[name] += int(number or 1)
    return counts


def knit_row_stitches(row: str, needle: int) -> dict[str, int]:
    worked, *repeated = map(count_stitches, row.split("*"))
    if repeated:
        section, end = repeated
        worked += end
        times = max(0, needle - worked.total()) // section.total()
        worked += Counter({name: times * count for name, count in section.items()})
    return {**worked, "left": needle - worked.total()}
