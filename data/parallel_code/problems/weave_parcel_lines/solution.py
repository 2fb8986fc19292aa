from collections import deque


def weave_parcel_lines(lines: list[list[str]], pattern: list[int]) -> list[str]:
    waiting = [deque(line) for line in lines]
    belt = []
    while any(waiting[number] for number in pattern):
        for number in pattern:
            if waiting[number]:
                belt.append(waiting[number].popleft())
    return belt
