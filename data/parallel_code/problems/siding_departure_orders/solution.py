from collections.abc import Iterator


def siding_departure_orders(wagons: str, capacity: int) -> list[str]:
    def orders(waiting: str, siding: str) -> Iterator[str]:
        if not waiting and not siding:
            yield ""
        if waiting and len(siding) < capacity:
            yield from orders(waiting[1:], siding + waiting[0])
        if siding:
            for rest in orders(waiting, siding[:-1]):
                yield siding[-1] + rest

    return sorted(orders(wagons, ""))
