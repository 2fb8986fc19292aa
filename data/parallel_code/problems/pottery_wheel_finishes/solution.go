package solution

func PotteryWheelFinishes(minutes []int, turn int) []int {
	left := append([]int{}, minutes...)
	finishes := make([]int, len(minutes))
	clock := 0
	for busy := true; busy; {
		busy = false
		for potter, need := range left {
			switch {
			case need > turn:
				clock += turn
				busy = true
			case need > 0:
				clock += need
				finishes[potter] = clock
			}
			left[potter] -= turn
		}
	}
	return finishes
}
