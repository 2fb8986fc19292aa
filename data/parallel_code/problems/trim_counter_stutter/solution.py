from itertools import groupby, islice


def trim_counter_stutter(readings: list[int], keep: int) -> list[int]:
    return [value for _, run in groupby(readings) for value in islice(run, keep)]
