package solution

func ShelfProbeTrail(codes []string, wanted string) []int {
	trail := []int{}
	first, last := 0, len(codes)-1
	for first <= last {
		middle := (first + last) / 2
		trail = append(trail, middle)
		switch code := codes[middle]; {
		case code == wanted:
			return trail
		case code < wanted:
			first = middle + 1
		default:
			last = middle - 1
		}
	}
	return trail
}
