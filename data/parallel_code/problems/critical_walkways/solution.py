from itertools import count


def critical_walkways(islands: int, walkways: list[list[int]]) -> list[list[int]]:
    links = [[] for _ in range(islands)]
    for number, (a, b) in enumerate(walkways):
        links[a].append((b, number))
        links[b].append((a, number))
    found = [-1] * islands
    lowest = [-1] * islands
    clock = count()
    critical = []

    def explore(island: int, arrived_by: int) -> None:
        found[island] = lowest[island] = next(clock)
        for neighbour, number in links[island]:
            if number == arrived_by:
                continue
            if found[neighbour] >= 0:
                lowest[island] = min(lowest[island], found[neighbour])
                continue
            explore(neighbour, number)
            lowest[island] = min(lowest[island], lowest[neighbour])
            if lowest[neighbour] > found[island]:
                critical.append(sorted((island, neighbour)))

    for island in range(islands):
        if found[island] < 0:
            explore(island, -1)
    return sorted(critical)
