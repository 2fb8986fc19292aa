from functools import cache


def seed_packet_counts(order: int, packets: list[list[int]]) -> list[int]:
    @cache
    def fill(kind: int, missing: int) -> tuple[int, ...] | None:
        if kind == len(packets):
            return () if missing == 0 else None
        size, stock = packets[kind]
        choices = []
        for count in range(min(stock, missing // size), -1, -1):
            rest = fill(kind + 1, missing - count * size)
            if rest is not None:
                choices.append((count, *rest))
        return min(choices, key=sum, default=None)

    return list(fill(0, order) or [])
