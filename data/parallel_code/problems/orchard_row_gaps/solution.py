def orchard_row_gaps(rows: list[str]) -> list[int]:
    return [max(map(len, row.split("T"))) for row in rows]
