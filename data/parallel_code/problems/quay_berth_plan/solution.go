package solution

type berth struct{ position, end, leaves int }

func QuayBerthPlan(quay int, ships [][]int) [][]int {
	plan := make([][]int, 0, len(ships))
	var berths []berth
	time := 0
	for _, ship := range ships {
		arrival, length, stay := ship[0], ship[1], ship[2]
		if length > quay {
			plan = append(plan, []int{-1, -1})
			continue
		}
		if arrival > time {
			time = arrival
		}
		berths = stillMoored(berths, time)
		at := slot(quay, berths, length)
		for at < 0 {
			time = nextLeaving(berths)
			berths = stillMoored(berths, time)
			at = slot(quay, berths, length)
		}
		taken := berth{start(berths, at), 0, time + stay}
		taken.end = taken.position + length
		berths = append(berths, berth{})
		copy(berths[at+1:], berths[at:])
		berths[at] = taken
		plan = append(plan, []int{time, taken.position})
	}
	return plan
}

func stillMoored(berths []berth, time int) []berth {
	var moored []berth
	for _, b := range berths {
		if b.leaves > time {
			moored = append(moored, b)
		}
	}
	return moored
}

func nextLeaving(berths []berth) int {
	leaving := berths[0].leaves
	for _, b := range berths[1:] {
		if b.leaves < leaving {
			leaving = b.leaves
		}
	}
	return leaving
}

func slot(quay int, berths []berth, length int) int {
	for i, b := range berths {
		if b.position-start(berths, i) >= length {
			return i
		}
	}
	if quay-start(berths, len(berths)) >= length {
		return len(berths)
	}
	return -1
}

func start(berths []berth, i int) int {
	if i == 0 {
		return 0
	}
	return berths[i-1].end
}
