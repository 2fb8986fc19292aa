package solution

func weight(rods [][]int, load int) int {
	if load >= 0 {
		return load
	}
	rod := rods[-load]
	return weight(rods, rod[1]) + weight(rods, rod[3])
}

func HangingRodTilts(rods [][]int) []int {
	tilts := make([]int, len(rods))
	for i, rod := range rods {
		tilts[i] = rod[0]*weight(rods, rod[1]) - rod[2]*weight(rods, rod[3])
	}
	return tilts
}
