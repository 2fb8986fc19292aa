package solution

func BayCountSpread(counts [][]int) []int {
	spread := []int{}
	if len(counts) == 0 {
		return spread
	}
	for bay := range counts[0] {
		low, high := counts[0][bay], counts[0][bay]
		for _, day := range counts[1:] {
			if day[bay] < low {
				low = day[bay]
			}
			if day[bay] > high {
				high = day[bay]
			}
		}
		spread = append(spread, high-low)
	}
	return spread
}
