def unpack_sensor_word(word: int, widths: list[int]) -> list[int]:
    readings = []
    for width in widths:
        word, reading = divmod(word, 1 << width)
        readings.append(reading)
    return [*readings, word]
