def terrace_rill_path(heights: list[list[int]], row: int, column: int) -> list[list[int]]:
    def height(cell: tuple[int, int]) -> int:
        return heights[cell[0]][cell[1]]

    path = [[row, column]]
    while True:
        around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
        inside = [(r, c) for r, c in around if 0 <= r < len(heights) and 0 <= c < len(heights[0])]
        lowest = min(inside, key=height, default=(row, column))
        if height(lowest) >= heights[row][column]:
            return path
        row, column = lowest
        path.append([row, column])
