from bisect import bisect_left

DAY = 24 * 60


def next_tram_waits(departures: list[int], arrivals: list[int]) -> list[int]:
    if not departures:
        return [-1] * len(arrivals)
    board = [*departures, departures[0] + DAY]
    return [board[bisect_left(board, arrival)] - arrival for arrival in arrivals]
