package solution

func TwoKilnFinish(hours []int) int {
	total := 0
	for _, batch := range hours {
		total += batch
	}
	reached := make([]bool, total+1)
	reached[0] = true
	for _, batch := range hours {
		for load := total; load >= batch; load-- {
			if reached[load-batch] {
				reached[load] = true
			}
		}
	}
	finish := (total + 1) / 2
	for !reached[finish] {
		finish++
	}
	return finish
}
