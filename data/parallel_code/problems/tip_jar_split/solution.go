package solution

import "sort"

func TipJarSplit(cents int, hours []int) []int {
	shares := make([]int, len(hours))
	total := 0
	for _, worked := range hours {
		total += worked
	}
	if total == 0 {
		return shares
	}
	left := cents
	order := make([]int, len(hours))
	for i, worked := range hours {
		order[i] = i
		shares[i] = cents * worked / total
		left -= shares[i]
	}
	sort.SliceStable(order, func(a, b int) bool {
		return cents*hours[order[a]]%total > cents*hours[order[b]]%total
	})
	for _, i := range order[:left] {
		shares[i]++
	}
	return shares
}
