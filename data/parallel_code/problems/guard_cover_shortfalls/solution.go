package solution

func GuardCoverShortfalls(guards []string, shifts [][]int, hours []int, need int) [][]int {
	shortfalls := [][]int{}
	for minute := hours[0]; minute < hours[1]; minute++ {
		missing := need - onDuty(guards, shifts, minute)
		if missing <= 0 {
			continue
		}
		if n := len(shortfalls); n > 0 {
			last := shortfalls[n-1]
			if last[1] == minute && last[2] == missing {
				last[1]++
				continue
			}
		}
		shortfalls = append(shortfalls, []int{minute, minute + 1, missing})
	}
	return shortfalls
}

func onDuty(guards []string, shifts [][]int, minute int) int {
	present := map[string]bool{}
	for i, shift := range shifts {
		if shift[0] <= minute && minute < shift[1] {
			present[guards[i]] = true
		}
	}
	return len(present)
}
