def hut_walk_minutes(legs: list[list[int]]) -> int:
    return -(-sum(12 * metres + 100 * max(climb, 0) for metres, climb in legs) // 1000)
