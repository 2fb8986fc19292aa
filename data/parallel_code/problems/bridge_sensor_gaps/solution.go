package solution

func BridgeSensorGaps(readings []int, longest int) []int {
	filled := append([]int{}, readings...)
	for start := 0; start < len(readings); start++ {
		if readings[start] != -1 {
			continue
		}
		end := start
		for end < len(readings) && readings[end] == -1 {
			end++
		}
		if end-start <= longest {
			fillGap(filled, start, end)
		}
		start = end
	}
	return filled
}

func fillGap(filled []int, start, end int) {
	hasLeft, hasRight := start > 0, end < len(filled)
	for lo, hi := start, end-1; lo <= hi; lo, hi = lo+1, hi-1 {
		switch {
		case hasLeft && hasRight:
			filled[hi] = filled[end]
			filled[lo] = filled[start-1]
		case hasLeft:
			filled[lo], filled[hi] = filled[start-1], filled[start-1]
		case hasRight:
			filled[lo], filled[hi] = filled[end], filled[end]
		}
	}
}
