package solution

func CourierHopCounts(stations int, links [][]int, depot int, closed []int) []int {
	neighbours := make([][]int, stations)
	for _, link := range links {
		a, b := link[0], link[1]
		neighbours[a] = append(neighbours[a], b)
		neighbours[b] = append(neighbours[b], a)
	}
	shut := make([]bool, stations)
	for _, station := range closed {
		shut[station] = true
	}
	hops := make([]int, stations)
	for i := range hops {
		hops[i] = -1
	}
	if shut[depot] {
		return hops
	}
	hops[depot] = 0
	queue := []int{depot}
	for len(queue) > 0 {
		station := queue[0]
		queue = queue[1:]
		for _, next := range neighbours[station] {
			if hops[next] < 0 && !shut[next] {
				hops[next] = hops[station] + 1
				queue = append(queue, next)
			}
		}
	}
	return hops
}
