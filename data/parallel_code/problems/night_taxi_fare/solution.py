def ceil_div(value: int, unit: int) -> int:
    return -(-value // unit)


def night_taxi_fare(segments: list[list[int]], night: bool) -> int:
    cruising = sum(metres for metres, seconds in segments if metres >= 5 * seconds)
    crawling = sum(seconds for metres, seconds in segments if metres < 5 * seconds)
    fare = 320 + 20 * ceil_div(max(cruising - 500, 0), 100) + 15 * ceil_div(crawling, 20)
    return 10 * ceil_div(5 * fare, 40) if night else fare
