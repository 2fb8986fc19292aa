def poster_row_breaks(widths: list[int], wall: int) -> list[int]:
    posters = len(widths)
    if any(width > wall for width in widths):
        return []
    cost = [0] * (posters + 1)
    row_end = [posters] * (posters + 1)
    for start in reversed(range(posters)):
        options = []
        free = wall
        for end in range(start + 1, posters + 1):
            free -= widths[end - 1]
            if free < 0:
                break
            options.append((free * free + cost[end], -end))
        cost[start], negated_end = min(options)
        row_end[start] = -negated_end
    counts = []
    start = 0
    while start < posters:
        counts.append(row_end[start] - start)
        start = row_end[start]
    return counts
