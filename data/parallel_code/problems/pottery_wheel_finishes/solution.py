from collections import deque


def pottery_wheel_finishes(minutes: list[int], turn: int) -> list[int]:
    finishes = [0] * len(minutes)
    queue = deque((potter, need) for potter, need in enumerate(minutes) if need)
    clock = 0
    while queue:
        potter, need = queue.popleft()
        clock += min(need, turn)
        if need > turn:
            queue.append((potter, need - turn))
        else:
            finishes[potter] = clock
    return finishes
