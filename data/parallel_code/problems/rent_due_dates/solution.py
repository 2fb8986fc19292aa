MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else MONTH_LENGTHS[month - 1]


def weekday(year: int, month: int, day: int) -> int:
    past = year - 1
    days = 365 * past + past // 4 - past // 100 + past // 400
    days += sum(month_length(year, earlier) for earlier in range(1, month))
    return (days + day - 1) % 7


def due_date(year: int, month: int, day: int) -> tuple[int, int, int]:
    last = month_length(year, month)
    due = min(day, last)
    due += (0, 0, 0, 0, 0, 2, 1)[weekday(year, month, due)]
    if due <= last:
        return year, month, due
    if month < 12:
        return year, month + 1, due - last
    return year + 1, 1, due - last


def rent_due_dates(year: int, month: int, day: int, count: int) -> list[str]:
    dates = []
    for months in range(month - 1, month - 1 + count):
        years, month_index = divmod(months, 12)
        due = due_date(year + years, month_index + 1, day)
        dates.append("{:04d}-{:02d}-{:02d}".format(*due))
    return dates
