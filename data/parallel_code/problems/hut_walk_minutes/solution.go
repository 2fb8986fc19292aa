package solution

func HutWalkMinutes(legs [][]int) int {
	thousandths := 0
	for _, leg := range legs {
		metres, climb := leg[0], leg[1]
		thousandths += 12 * metres
		if climb > 0 {
			thousandths += 100 * climb
		}
	}
	return (thousandths + 999) / 1000
}
