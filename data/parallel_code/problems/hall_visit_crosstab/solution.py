from collections import Counter


def hall_visit_crosstab(days: list[str], halls: list[str]) -> list[list[int]]:
    visits = Counter(zip(days, halls))
    columns = sorted(set(halls))
    table = []
    for day in sorted(set(days)):
        row = [visits[day, hall] for hall in columns]
        table.append([*row, sum(row)])
    if not table:
        return [[0]]
    totals = [sum(column) for column in zip(*table)]
    return [*table, totals]
