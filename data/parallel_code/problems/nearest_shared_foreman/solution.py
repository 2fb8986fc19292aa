from collections.abc import Iterator


def nearest_shared_foreman(foremen: list[int], first: int, second: int) -> int:
    def chain(worker: int) -> Iterator[int]:
        while worker >= 0:
            yield worker
            worker = foremen[worker]

    above = set(chain(second))
    return next((worker for worker in chain(first) if worker in above), -1)
