def bay_count_spread(counts: list[list[int]]) -> list[int]:
    return [max(bay) - min(bay) for bay in zip(*counts)]
