def lone_gauge_peaks(levels: list[int], reach: int) -> list[int]:
    peaks = []
    for i, level in enumerate(levels):
        before = levels[max(0, i - reach) : i]
        after = levels[i + 1 : i + reach + 1]
        if all(level > other for other in before + after):
            peaks.append(i)
    return peaks
