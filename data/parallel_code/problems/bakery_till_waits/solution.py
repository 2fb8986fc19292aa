from heapq import heapreplace


def bakery_till_waits(arrivals: list[int], services: list[int], tills: int) -> list[int]:
    free_at = [0] * tills
    waits = []
    for arrival, service in zip(arrivals, services):
        begin = max(arrival, free_at[0])
        heapreplace(free_at, begin + service)
        waits.append(begin - arrival)
    return waits
