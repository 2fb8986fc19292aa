def rope_team_counts(climbers: int, ties: list[list[int]]) -> list[int]:
    leaders = list(range(climbers))
    sizes = [1] * climbers

    def leader(climber: int) -> int:
        while leaders[climber] != climber:
            leaders[climber] = leaders[leaders[climber]]
            climber = leaders[climber]
        return climber

    counts = []
    teams = climbers
    for a, b in ties:
        large, small = leader(a), leader(b)
        if large != small:
            if sizes[large] < sizes[small]:
                large, small = small, large
            leaders[small] = large
            sizes[large] += sizes[small]
            teams -= 1
        counts.append(teams)
    return counts
