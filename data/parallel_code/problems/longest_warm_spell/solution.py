def longest_warm_spell(nights: list[int], days: list[int], floor: int) -> list[int]:
    best_start, best_length = -1, 0
    length = 0
    for date, temperatures in enumerate(zip(nights, days)):
        length = length + 1 if min(temperatures) >= floor else 0
        if length > best_length:
            best_start, best_length = date - length + 1, length
    return [best_start, best_length]
