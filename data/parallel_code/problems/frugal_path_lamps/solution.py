def frugal_path_lamps(length: int, lamps: list[list[int]]) -> list[int]:
    lit = [range(max(0, at - reach), min(length, at + reach)) for at, reach in lamps]
    burning = [0] * length
    for metres in lit:
        for metre in metres:
            burning[metre] += 1
    kept = []
    for lamp, metres in enumerate(lit):
        if any(burning[metre] == 1 for metre in metres):
            kept.append(lamp)
            continue
        for metre in metres:
            burning[metre] -= 1
    return kept
