import textwrap
from itertools import zip_longest


def two_column_notice(text: str, width: int, gap: int) -> list[str]:
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    half = (len(lines) + 1) // 2
    rows = zip_longest(lines[:half], lines[half:], fillvalue="")
    return [f"{left:<{width + gap}}{right}" if right else left for left, right in rows]
