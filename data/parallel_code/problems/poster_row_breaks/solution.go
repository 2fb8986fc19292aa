package solution

func PosterRowBreaks(widths []int, wall int) []int {
	posters := len(widths)
	cost := make([]int, posters+1)
	rowEnd := make([]int, posters+1)
	for start := posters - 1; start >= 0; start-- {
		if widths[start] > wall {
			return []int{}
		}
		free := wall
		for end := start + 1; end <= posters; end++ {
			free -= widths[end-1]
			if free < 0 {
				break
			}
			if c := free*free + cost[end]; rowEnd[start] == 0 || c <= cost[start] {
				cost[start], rowEnd[start] = c, end
			}
		}
	}
	counts := []int{}
	for start := 0; start < posters; start = rowEnd[start] {
		counts = append(counts, rowEnd[start]-start)
	}
	return counts
}
