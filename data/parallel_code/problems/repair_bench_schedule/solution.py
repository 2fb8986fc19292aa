from collections import deque
from heapq import heappop, heappush
from typing import NamedTuple


class Job(NamedTuple):
    arrival: int
    duration: int
    urgency: int
    number: int

    @property
    def precedence(self) -> tuple[int, int, int]:
        return -self.urgency, self.arrival, self.number


def repair_bench_schedule(jobs: list[list[int]], benches: int) -> list[list[int]]:
    upcoming = deque(
        sorted(
            Job(arrival, duration, urgency, number)
            for number, (arrival, duration, urgency) in enumerate(jobs)
        )
    )
    waiting: list[tuple[tuple[int, int, int], Job]] = []
    busy: list[tuple[int, int]] = []
    free = list(range(benches))
    plan: list[list[int]] = [[] for _ in jobs]
    clock = 0
    while upcoming or waiting:
        while upcoming and upcoming[0].arrival <= clock:
            job = upcoming.popleft()
            heappush(waiting, (job.precedence, job))
        while busy and busy[0][0] <= clock:
            _, bench = heappop(busy)
            heappush(free, bench)
        while waiting and free:
            _, job = heappop(waiting)
            bench = heappop(free)
            plan[job.number] = [bench, clock]
            heappush(busy, (clock + job.duration, bench))
        clock = min(queue[0][0] for queue in (upcoming, busy) if queue)
    return plan
