def buoy_telegram_values(telegram: str) -> dict[str, float]:
    values: dict[str, float] = {}
    for kind, *rest in telegram.split():
        digits = "".join(rest)
        if not digits.isdigit():
            continue
        match kind:
            case "A" | "S":
                sign = -1 if digits[0] == "1" else 1
                values["air" if kind == "A" else "sea"] = sign * int(digits[1:]) / 10
            case "P":
                tenths = int(digits)
                values["pressure"] = (tenths if tenths >= 5000 else tenths + 10000) / 10
            case "W":
                tens, knots = int(digits[:2]), int(digits[2:])
                strong = tens > 50
                values["wind_from"] = 10.0 * (tens - 50 if strong else tens)
                values["wind_speed"] = knots + (100.0 if strong else 0.0)
    return values
