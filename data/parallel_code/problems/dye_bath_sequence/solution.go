package solution

type plan struct {
	total int
	baths []int
}

func cheapest(plans []plan, from, rinse int) plan {
	best := plan{total: -1}
	for bath, p := range plans {
		if bath != from {
			p.total += rinse
		}
		if best.total < 0 || p.total < best.total {
			best = p
		}
	}
	return best
}

func DyeBathSequence(costs [][]int, rinse int) []int {
	if len(costs) == 0 {
		return []int{}
	}
	later := make([]plan, len(costs[0]))
	for i := len(costs) - 1; i >= 0; i-- {
		plans := make([]plan, len(later))
		for bath, cost := range costs[i] {
			rest := plan{}
			if i < len(costs)-1 {
				rest = cheapest(later, bath, rinse)
			}
			plans[bath] = plan{cost + rest.total, append([]int{bath}, rest.baths...)}
		}
		later = plans
	}
	return cheapest(later, 0, 0).baths
}
