package solution

func AislePriceDrift(old map[string]float64, current map[string]float64, aisles map[string]string) map[string]float64 {
	drift := map[string]float64{}
	counts := map[string]int{}
	for good, aisle := range aisles {
		before, hadPrice := old[good]
		now, hasPrice := current[good]
		if hadPrice && hasPrice {
			drift[aisle] += now - before
			counts[aisle]++
		}
	}
	for aisle, count := range counts {
		drift[aisle] /= float64(count)
	}
	return drift
}
