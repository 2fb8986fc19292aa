package solution

import "sort"

func JoinedRoadworkStretches(works [][]int, gap int) [][]int {
	ordered := append([][]int{}, works...)
	sort.Slice(ordered, func(i, j int) bool { return ordered[i][0] < ordered[j][0] })

	stretches := [][]int{}
	var open []int
	for _, work := range ordered {
		start, end := work[0], work[1]
		if open == nil || start-open[1] > gap {
			open = []int{start, end, 1, end - start}
			stretches = append(stretches, open)
			continue
		}
		open[2]++
		if end <= open[1] {
			continue
		}
		if start < open[1] {
			start = open[1]
		}
		open[3] += end - start
		open[1] = end
	}
	return stretches
}
