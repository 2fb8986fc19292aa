package solution

type bakingDay struct {
	day, stock int
}

type bakingPlan struct {
	possible     bool
	cost         int
	bake, stored []int
}

type bakery struct {
	demand               []int
	oven, setup, storage int
	memo                 map[bakingDay]bakingPlan
}

func (b *bakery) best(at bakingDay) bakingPlan {
	if at.day == len(b.demand) {
		return bakingPlan{possible: at.stock == 0}
	}
	if known, ok := b.memo[at]; ok {
		return known
	}
	var best bakingPlan
	for baked := 0; baked <= b.oven; baked++ {
		kept := at.stock + baked - b.demand[at.day]
		if kept < 0 {
			continue
		}
		rest := b.best(bakingDay{at.day + 1, kept})
		if !rest.possible {
			continue
		}
		cost := rest.cost + b.storage*kept
		if baked > 0 {
			cost += b.setup
		}
		if !best.possible || cost < best.cost {
			best = bakingPlan{
				possible: true,
				cost:     cost,
				bake:     append([]int{baked}, rest.bake...),
				stored:   append([]int{kept}, rest.stored...),
			}
		}
	}
	b.memo[at] = best
	return best
}

func BakeryBatchPlan(demand []int, oven, setup, storage int) map[string][]int {
	b := &bakery{demand, oven, setup, storage, map[bakingDay]bakingPlan{}}
	plan := b.best(bakingDay{0, 0})
	result := map[string][]int{"bake": {}, "stored": {}, "cost": {}}
	if plan.possible {
		result["bake"] = append(result["bake"], plan.bake...)
		result["stored"] = append(result["stored"], plan.stored...)
		result["cost"] = []int{plan.cost}
	}
	return result
}
