from math import ceil

DAY_MINUTES = 24 * 60
DAY_PRICE = 3200
HOUR_PRICE = 450
FREE_KILOMETRES = 150
YOUNG_DRIVER_PRICE = 900
FUEL_PRICE = 1323


def time_charge(minutes: int) -> int:
    days, rest = divmod(minutes, DAY_MINUTES)
    paid_days = days - days // 7
    part_day = min(DAY_PRICE, HOUR_PRICE * ceil(rest / 60))
    return paid_days * DAY_PRICE + part_day


def distance_charge(kilometres: int, started_days: int) -> int:
    excess = max(0, kilometres - FREE_KILOMETRES * started_days)
    return 25 * min(excess, 100) + 18 * max(excess - 100, 0)


def young_driver_charge(age: int, started_days: int) -> int:
    return YOUNG_DRIVER_PRICE * min(started_days, 5) if age < 25 else 0


def van_hire_statement(
    minutes: int,
    kilometres: int,
    driver_age: int,
    missing_eighths: int,
) -> dict[str, int]:
    billed = max(minutes, 60)
    started_days = ceil(billed / DAY_MINUTES)
    statement = {
        "time": time_charge(billed),
        "distance": distance_charge(kilometres, started_days),
        "young_driver": young_driver_charge(driver_age, started_days),
        "fuel": FUEL_PRICE * missing_eighths,
    }
    statement["total"] = sum(statement.values())
    return statement
