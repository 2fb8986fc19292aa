def balanced_locker_codes(low: int, high: int) -> int:
    return sum(
        sum(int(d) if int(d) % 2 else -int(d) for d in str(code)) == 0
        for code in range(low, high + 1)
    )
