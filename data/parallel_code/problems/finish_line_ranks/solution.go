package solution

import "sort"

func FinishLineRanks(times []int) []int {
	ordered := append([]int{}, times...)
	sort.Ints(ordered)
	ranks := make([]int, len(times))
	for i, t := range times {
		ranks[i] = sort.SearchInts(ordered, t) + 1
	}
	return ranks
}
