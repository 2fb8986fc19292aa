package solution

func TerraceRillPath(heights [][]int, row int, column int) [][]int {
	steps := [4][2]int{{-1, 0}, {0, -1}, {0, 1}, {1, 0}}
	path := [][]int{{row, column}}
	for {
		nextRow, nextColumn := row, column
		for _, step := range steps {
			r, c := row+step[0], column+step[1]
			if r < 0 || r >= len(heights) || c < 0 || c >= len(heights[r]) {
				continue
			}
			if heights[r][c] < heights[nextRow][nextColumn] {
				nextRow, nextColumn = r, c
			}
		}
		if nextRow == row && nextColumn == column {
			return path
		}
		row, column = nextRow, nextColumn
		path = append(path, []int{row, column})
	}
}
