package solution

func SerpentineCrateLanes(crates []string, lanes int) [][]string {
	dealt := make([][]string, lanes)
	for i := range dealt {
		dealt[i] = []string{}
	}
	lane, step := 0, 1
	for _, crate := range crates {
		dealt[lane] = append(dealt[lane], crate)
		next := lane + step
		if next < 0 || next >= lanes {
			step = -step
			continue
		}
		lane = next
	}
	return dealt
}
