def bridge_sensor_gaps(readings: list[int], longest: int) -> list[int]:
    filled = list(readings)
    start = 0
    while start < len(readings):
        if readings[start] != -1:
            start += 1
            continue
        end = start
        while end < len(readings) and readings[end] == -1:
            end += 1
        sources = [i for i in (start - 1, end) if 0 <= i < len(readings)]
        if sources and end - start <= longest:
            for i in range(start, end):
                filled[i] = readings[min(sources, key=lambda source: abs(source - i))]
        start = end
    return filled
