package solution

func TrimCounterStutter(readings []int, keep int) []int {
	kept := []int{}
	run := 0
	for i, value := range readings {
		if i > 0 && value == readings[i-1] {
			run++
		} else {
			run = 1
		}
		if run <= keep {
			kept = append(kept, value)
		}
	}
	return kept
}
