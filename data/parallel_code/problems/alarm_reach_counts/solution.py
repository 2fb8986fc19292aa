def alarm_reach_counts(alarms: int, wires: list[list[int]]) -> list[int]:
    reach = [{alarm} for alarm in range(alarms)]
    for start, end in wires:
        reach[start].add(end)
    for middle in range(alarms):
        for heard in reach:
            if middle in heard:
                heard |= reach[middle]
    return [len(heard) for heard in reach]
