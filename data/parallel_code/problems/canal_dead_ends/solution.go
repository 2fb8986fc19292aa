package solution

import "sort"

func CanalDeadEnds(canals [][]int) []int {
	ends := map[int]int{}
	for _, canal := range canals {
		for _, basin := range canal {
			ends[basin]++
		}
	}
	deadEnds := []int{}
	for basin, count := range ends {
		if count == 1 {
			deadEnds = append(deadEnds, basin)
		}
	}
	sort.Ints(deadEnds)
	return deadEnds
}
