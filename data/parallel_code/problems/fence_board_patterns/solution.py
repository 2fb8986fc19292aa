from collections.abc import Iterator


def fence_board_patterns(length: int, widths: list[int]) -> list[list[int]]:
    def extend(remaining: int, last: int) -> Iterator[list[int]]:
        if remaining == 0:
            yield []
        for width in sorted(widths):
            if width != last and width <= remaining:
                for rest in extend(remaining - width, width):
                    yield [width, *rest]

    return list(extend(length, 0))
