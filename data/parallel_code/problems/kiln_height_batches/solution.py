def kiln_height_batches(heights: list[int], slack: int, room: int) -> list[list[int]]:
    batches: list[list[int]] = []
    for height in heights:
        if batches:
            trial = [*batches[-1], height]
            if len(trial) <= room and max(trial) - min(trial) <= slack:
                batches[-1] = trial
                continue
        batches.append([height])
    return batches
