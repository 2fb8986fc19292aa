def shelf_probe_trail(codes: list[str], wanted: str) -> list[int]:
    trail = []
    first, last = 0, len(codes) - 1
    while first <= last:
        middle = (first + last) // 2
        trail.append(middle)
        if codes[middle] == wanted:
            break
        if codes[middle] < wanted:
            first = middle + 1
        else:
            last = middle - 1
    return trail
