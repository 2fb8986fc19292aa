package solution

func WeaveParcelLines(lines [][]string, pattern []int) []string {
	next := make([]int, len(lines))
	belt := []string{}
	for moved := true; moved; {
		moved = false
		for _, number := range pattern {
			line := lines[number]
			if next[number] < len(line) {
				belt = append(belt, line[next[number]])
				next[number]++
				moved = true
			}
		}
	}
	return belt
}
