package solution

import "sort"

type cell struct{ row, column int }

func PondCensus(field []string) [][]int {
	water := map[cell]bool{}
	for r, row := range field {
		for c, kind := range row {
			if kind == '~' {
				water[cell{r, c}] = true
			}
		}
	}
	census := [][]int{}
	seen := map[cell]bool{}
	for start := range water {
		if seen[start] {
			continue
		}
		seen[start] = true
		report := []int{0, 0, 0}
		waiting := []cell{start}
		for len(waiting) > 0 {
			here := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			report[0]++
			if onBorder(here, field) {
				report[2] = 1
			}
			for dr := -1; dr <= 1; dr++ {
				for dc := -1; dc <= 1; dc++ {
					next := cell{here.row + dr, here.column + dc}
					if !water[next] {
						if dr == 0 || dc == 0 {
							report[1]++
						}
					} else if !seen[next] {
						seen[next] = true
						waiting = append(waiting, next)
					}
				}
			}
		}
		census = append(census, report)
	}
	sort.Slice(census, func(i, j int) bool {
		p, q := census[i], census[j]
		if p[0] != q[0] {
			return p[0] > q[0]
		}
		if p[1] != q[1] {
			return p[1] < q[1]
		}
		return p[2] < q[2]
	})
	return census
}

func onBorder(here cell, field []string) bool {
	return here.row == 0 || here.row == len(field)-1 ||
		here.column == 0 || here.column == len(field[0])-1
}
