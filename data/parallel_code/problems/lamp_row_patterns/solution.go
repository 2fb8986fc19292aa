package solution

func LampRowPatterns(lamps int, runs []int) int64 {
	ways := make([]int64, lamps+2)
	ways[0] = 1
	for length := 0; length <= lamps; length++ {
		ways[length+1] = ways[length]
		for _, run := range runs {
			if run <= length {
				ways[length+1] += ways[length-run]
			}
		}
	}
	return ways[lamps+1]
}
