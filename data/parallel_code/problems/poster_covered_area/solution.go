package solution

import "sort"

func PosterCoveredArea(posters [][]int) int {
	xs, ys := edges(posters, 0), edges(posters, 1)
	area := 0
	for i := 1; i < len(xs); i++ {
		for j := 1; j < len(ys); j++ {
			if covered(posters, xs[i-1], ys[j-1], xs[i], ys[j]) {
				area += (xs[i] - xs[i-1]) * (ys[j] - ys[j-1])
			}
		}
	}
	return area
}

func edges(posters [][]int, axis int) []int {
	var values []int
	for _, poster := range posters {
		values = append(values, poster[axis], poster[axis+2])
	}
	sort.Ints(values)
	return values
}

func covered(posters [][]int, left, bottom, right, top int) bool {
	for _, poster := range posters {
		if poster[0] <= left && poster[1] <= bottom && poster[2] >= right && poster[3] >= top {
			return true
		}
	}
	return false
}
