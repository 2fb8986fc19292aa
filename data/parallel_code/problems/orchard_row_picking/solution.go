package solution

func OrchardRowPicking(yields, rests []int) int {
	best := make([]int, len(yields)+1)
	for i := len(yields) - 1; i >= 0; i-- {
		best[i] = yields[i]
		if next := i + 1 + rests[i]; next < len(yields) {
			best[i] += best[next]
		}
		if best[i+1] > best[i] {
			best[i] = best[i+1]
		}
	}
	return best[0]
}
