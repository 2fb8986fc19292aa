package solution

func EvenBookcaseCut(thicknesses []int) int {
	right := 0
	for _, t := range thicknesses {
		right += t
	}
	best, smallest := 0, right
	left := 0
	for i, t := range thicknesses {
		left += t
		right -= t
		difference := left - right
		if difference < 0 {
			difference = -difference
		}
		if difference < smallest {
			best, smallest = i+1, difference
		}
	}
	return best
}
