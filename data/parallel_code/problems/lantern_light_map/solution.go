package solution

func LanternLightMap(cave []string) []string {
	grid := make([][]byte, len(cave))
	for r, row := range cave {
		grid[r] = []byte(row)
	}
	for r, row := range cave {
		for c := range row {
			if row[c] != '*' {
				continue
			}
			for _, step := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				y, x := r+step[0], c+step[1]
				for y >= 0 && y < len(grid) && x >= 0 && x < len(row) && grid[y][x] != '#' {
					if grid[y][x] == '.' {
						grid[y][x] = 'o'
					}
					y, x = y+step[0], x+step[1]
				}
			}
		}
	}
	lit := make([]string, len(grid))
	for r, row := range grid {
		lit[r] = string(row)
	}
	return lit
}
