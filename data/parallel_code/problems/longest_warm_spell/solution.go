package solution

func LongestWarmSpell(nights []int, days []int, floor int) []int {
	bestStart, bestLength := -1, 0
	length := 0
	for date := range nights {
		if nights[date] < floor || days[date] < floor {
			length = 0
			continue
		}
		length++
		if length > bestLength {
			bestStart, bestLength = date-length+1, length
		}
	}
	return []int{bestStart, bestLength}
}
