from bisect import bisect_left


def oven_ready_minute(ovens: list[list[int]], target: int) -> int:
    if target == 0 or not ovens:
        return 0 if target == 0 else -1

    def delivered(minute: int) -> int:
        return sum(max(0, minute - warm_up) // period * loaves for warm_up, period, loaves in ovens)

    latest = min(warm_up - (-target // loaves) * period for warm_up, period, loaves in ovens)
    return bisect_left(range(latest), target, key=delivered)
