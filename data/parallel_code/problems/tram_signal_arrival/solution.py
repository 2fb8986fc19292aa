def tram_signal_arrival(distance: int, signals: list[list[int]]) -> int:
    delay = 0
    for position, green, red in signals:
        phase = (position + delay) % (green + red)
        if phase >= green:
            delay += green + red - phase
    return distance + delay
