from math import lcm


def lantern_common_flash(lanterns: list[list[int]]) -> int:
    minute = max((first for _, first in lanterns), default=0)
    step = 1
    for period, first in lanterns:
        for _ in range(period):
            if (minute - first) % period == 0:
                break
            minute += step
        else:
            return -1
        step = lcm(step, period)
    return minute
