def courier_hop_counts(
    stations: int, links: list[list[int]], depot: int, closed: list[int]
) -> list[int]:
    hops = [-1] * stations
    unseen = set(range(stations)) - set(closed)
    wave, distance = {depot} & unseen, 0
    while wave:
        for station in wave:
            hops[station] = distance
        unseen -= wave
        wave = {station for link in links if wave & set(link) for station in link} & unseen
        distance += 1
    return hops
