package solution

func ApplePassingCircle(apples []int, rounds int) []int {
	held := append([]int{}, apples...)
	passed := make([]int, len(held))
	for ; rounds > 0; rounds-- {
		for i, count := range held {
			passed[i] = count / 2
		}
		for i, count := range passed {
			held[i] -= count
			held[(i+1)%len(held)] += count
		}
	}
	return held
}
