package solution

func FrugalPathLamps(length int, lamps [][]int) []int {
	burning := make([]int, length)
	spans := make([][]int, len(lamps))
	for i, lamp := range lamps {
		start, end := lamp[0]-lamp[1], lamp[0]+lamp[1]
		if start < 0 {
			start = 0
		}
		if end > length {
			end = length
		}
		if start < end {
			spans[i] = burning[start:end]
		}
		for metre := range spans[i] {
			spans[i][metre]++
		}
	}

	kept := []int{}
	for i, span := range spans {
		if isNeeded(span) {
			kept = append(kept, i)
			continue
		}
		for metre := range span {
			span[metre]--
		}
	}
	return kept
}

func isNeeded(span []int) bool {
	for _, burning := range span {
		if burning == 1 {
			return true
		}
	}
	return false
}
