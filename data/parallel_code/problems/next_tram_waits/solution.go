package solution

import "sort"

const minutesPerDay = 24 * 60

func NextTramWaits(departures []int, arrivals []int) []int {
	waits := make([]int, len(arrivals))
	for i, arrival := range arrivals {
		next := sort.SearchInts(departures, arrival)
		switch {
		case len(departures) == 0:
			waits[i] = -1
		case next == len(departures):
			waits[i] = departures[0] + minutesPerDay - arrival
		default:
			waits[i] = departures[next] - arrival
		}
	}
	return waits
}
