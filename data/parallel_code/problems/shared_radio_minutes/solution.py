def shared_radio_minutes(first: list[list[int]], second: list[list[int]]) -> int:
    stations = (first, second)
    on_air = [{m for start, end in spans for m in range(start, end)} for spans in stations]
    return len(set.intersection(*on_air))
