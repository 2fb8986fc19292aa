package solution

func CrateTotalWeight(contents map[string][]string, weights map[string]int, crate string) int {
	total := weights[crate]
	for _, name := range contents[crate] {
		total += CrateTotalWeight(contents, weights, name)
	}
	return total
}
