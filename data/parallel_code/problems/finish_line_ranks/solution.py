from bisect import bisect_left


def finish_line_ranks(times: list[int]) -> list[int]:
    ordered = sorted(times)
    return [bisect_left(ordered, time) + 1 for time in times]
