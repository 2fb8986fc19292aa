package solution

type alignment struct {
	cost  int
	moves string
}

func distance(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}

func ChimeAlignmentMoves(first, second []int, gap int) string {
	best := make([][]alignment, len(first)+1)
	for i := len(first); i >= 0; i-- {
		best[i] = make([]alignment, len(second)+1)
		for j := len(second); j >= 0; j-- {
			options := []alignment{}
			if i < len(first) && j < len(second) {
				rest := best[i+1][j+1]
				options = append(options, alignment{distance(first[i], second[j]) + rest.cost, "M" + rest.moves})
			}
			if i < len(first) {
				rest := best[i+1][j]
				options = append(options, alignment{gap + rest.cost, "F" + rest.moves})
			}
			if j < len(second) {
				rest := best[i][j+1]
				options = append(options, alignment{gap + rest.cost, "S" + rest.moves})
			}
			for k, option := range options {
				if k == 0 || option.cost < best[i][j].cost {
					best[i][j] = option
				}
			}
		}
	}
	return best[0][0].moves
}
