def turnstile_counter_loop(start: int, multiplier: int, modulus: int) -> list[int]:
    first_shown: dict[int, int] = {}
    shown = start
    while shown not in first_shown:
        first_shown[shown] = len(first_shown)
        shown = (multiplier * shown + int(str(shown)[::-1])) % modulus
    tail = first_shown[shown]
    return [tail, len(first_shown) - tail]
