def lamp_row_patterns(lamps: int, runs: list[int]) -> int:
    ways = [1]
    for length in range(lamps + 1):
        ways.append(sum(ways[length - run] for run in [0, *runs] if run <= length))
    return ways[-1]
