def savings_jar_months(start: int, deposit: int, rate_bp: int, goal: int) -> int:
    balance = start
    for month in range(1201):
        if balance >= goal:
            return month
        balance += balance * rate_bp // 120_000 + deposit
    return -1
