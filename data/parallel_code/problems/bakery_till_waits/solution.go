package solution

func BakeryTillWaits(arrivals []int, services []int, tills int) []int {
	freeAt := make([]int, tills)
	waits := make([]int, len(arrivals))
	for i, arrival := range arrivals {
		till := 0
		for t := range freeAt {
			if freeAt[t] < freeAt[till] {
				till = t
			}
		}
		if freeAt[till] > arrival {
			waits[i] = freeAt[till] - arrival
		}
		freeAt[till] = arrival + waits[i] + services[i]
	}
	return waits
}
