def rota_shift_match(printed: list[str], current: list[str]) -> int:
    moves = range(max(len(printed), 1))
    return next((k for k in moves if printed[k:] + printed[:k] == current), -1)
