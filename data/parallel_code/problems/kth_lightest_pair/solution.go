package solution

import "sort"

func KthLightestPair(weights []int, k int) int {
	var combined []int
	for i, first := range weights {
		for _, second := range weights[i+1:] {
			combined = append(combined, first+second)
		}
	}
	if k > len(combined) {
		return -1
	}
	sort.Ints(combined)
	return combined[k-1]
}
