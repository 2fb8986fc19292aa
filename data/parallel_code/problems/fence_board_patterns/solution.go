package solution

import "sort"

func FenceBoardPatterns(length int, widths []int) [][]int {
	sorted := append([]int{}, widths...)
	sort.Ints(sorted)
	patterns := [][]int{}
	var extend func(remaining, last int, boards []int)
	extend = func(remaining, last int, boards []int) {
		if remaining == 0 {
			patterns = append(patterns, append([]int{}, boards...))
			return
		}
		for _, width := range sorted {
			if width != last && width <= remaining {
				extend(remaining-width, width, append(boards, width))
			}
		}
	}
	extend(length, 0, nil)
	return patterns
}
