def serpentine_crate_lanes(crates: list[str], lanes: int) -> list[list[str]]:
    dealt: list[list[str]] = [[] for _ in range(lanes)]
    for start in range(0, len(crates), lanes):
        sweep = crates[start : start + lanes]
        order = dealt if start // lanes % 2 == 0 else reversed(dealt)
        for lane, crate in zip(order, sweep):
            lane.append(crate)
    return dealt
