package solution

import "sort"

func TideWindowMiddles(levels []int, width int) []int {
	middles := []int{}
	window := make([]int, width)
	for end := width; end <= len(levels); end++ {
		copy(window, levels[end-width:end])
		sort.Ints(window)
		middles = append(middles, window[width/2])
	}
	return middles
}
