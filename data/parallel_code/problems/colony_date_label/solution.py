def colony_date_label(day: int) -> str:
    year = 1
    while day >= (length := 366 if year % 4 == 0 else 365):
        day -= length
        year += 1
    if day >= 13 * 28:
        return f"Y{year}-F{day - 13 * 28 + 1}"
    month, date = divmod(day, 28)
    return f"Y{year}-M{month + 1:02d}-D{date + 1:02d}"
