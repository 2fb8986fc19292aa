package solution

func FloorGroutCost(floor []string) int {
	cost := 0
	for r, row := range floor {
		for c := range row {
			if c > 0 {
				cost += seam(row[c-1], row[c])
			}
			if r > 0 {
				cost += seam(floor[r-1][c], row[c])
			}
		}
	}
	return cost
}

func seam(a, b byte) int {
	switch {
	case a == b:
		return 0
	case a == '.' || b == '.':
		return 2
	default:
		return 1
	}
}
