package solution

func AlarmReachCounts(alarms int, wires [][]int) []int {
	next := make([][]int, alarms)
	for _, wire := range wires {
		next[wire[0]] = append(next[wire[0]], wire[1])
	}
	counts := make([]int, alarms)
	for first := range counts {
		ringing := make([]bool, alarms)
		var ring func(alarm int)
		ring = func(alarm int) {
			if ringing[alarm] {
				return
			}
			ringing[alarm] = true
			counts[first]++
			for _, other := range next[alarm] {
				ring(other)
			}
		}
		ring(first)
	}
	return counts
}
