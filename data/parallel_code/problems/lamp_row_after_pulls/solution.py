def lamp_row_after_pulls(count: int, pulls: list[int]) -> str:
    return "".join(".*"[pulls.count(lamp) % 2] for lamp in range(1, count + 1))
