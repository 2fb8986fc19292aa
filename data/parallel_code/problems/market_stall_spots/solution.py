def market_stall_spots(yard: list[str], depth: int, width: int) -> int:
    rows, columns = len(yard), len(yard[0]) if yard else 0
    return sum(
        all("#" not in row[left : left + across] for row in yard[top : top + down])
        for down, across in {(depth, width), (width, depth)}
        for top in range(rows - down + 1)
        for left in range(columns - across + 1)
    )
