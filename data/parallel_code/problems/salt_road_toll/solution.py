from heapq import heappop, heappush


def salt_road_toll(
    towns: int, roads: list[list[int]], waivers: int, start: int, goal: int
) -> list[int]:
    links = [[] for _ in range(towns)]
    for a, b, toll in roads:
        links[a].append((b, toll))
        links[b].append((a, toll))
    settled = set()
    queue = [(0, 0, start)]
    while queue:
        paid, used, town = heappop(queue)
        if town == goal:
            return [paid, used]
        if (town, used) in settled:
            continue
        settled.add((town, used))
        for neighbour, toll in links[town]:
            heappush(queue, (paid + toll, used, neighbour))
            if used < waivers:
                heappush(queue, (paid, used + 1, neighbour))
    return [-1, -1]
