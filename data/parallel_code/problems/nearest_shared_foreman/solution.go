package solution

func NearestSharedForeman(foremen []int, first int, second int) int {
	above := map[int]bool{-1: true}
	for worker := second; worker >= 0; worker = foremen[worker] {
		above[worker] = true
	}
	for !above[first] {
		first = foremen[first]
	}
	return first
}
