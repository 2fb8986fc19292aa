def night_shift_minutes(start: str, end: str) -> int:
    begun, ended = (int(time[:2]) * 60 + int(time[3:]) for time in (start, end))
    return (ended - begun - 1) % 1440 + 1
