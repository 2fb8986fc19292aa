package solution

func MarketStallSpots(yard []string, depth int, width int) int {
	taken := takenSums(yard)
	spots := countSpots(taken, depth, width)
	if depth != width {
		spots += countSpots(taken, width, depth)
	}
	return spots
}

func takenSums(yard []string) [][]int {
	columns := 0
	if len(yard) > 0 {
		columns = len(yard[0])
	}
	sums := make([][]int, len(yard)+1)
	sums[0] = make([]int, columns+1)
	for r, row := range yard {
		sums[r+1] = make([]int, columns+1)
		for c := range row {
			sums[r+1][c+1] = sums[r][c+1] + sums[r+1][c] - sums[r][c]
			if row[c] == '#' {
				sums[r+1][c+1]++
			}
		}
	}
	return sums
}

func countSpots(taken [][]int, down, across int) int {
	spots := 0
	for bottom := down; bottom < len(taken); bottom++ {
		for right := across; right < len(taken[0]); right++ {
			top, left := bottom-down, right-across
			if taken[bottom][right]-taken[top][right]-taken[bottom][left]+taken[top][left] == 0 {
				spots++
			}
		}
	}
	return spots
}
