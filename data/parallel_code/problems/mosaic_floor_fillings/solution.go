package solution

type floorState struct {
	covered, used int
}

func MosaicFloorFillings(rows []string, singles int) int64 {
	isOpen := func(r, c int) bool {
		return r < len(rows) && c < len(rows[r]) && rows[r][c] == '.'
	}
	states := map[floorState]int64{{}: 1}
	for r, row := range rows {
		for c := range row {
			here, right := 1<<c, 2<<c
			next := map[floorState]int64{}
			for s, ways := range states {
				if !isOpen(r, c) || s.covered&here != 0 {
					next[floorState{s.covered &^ here, s.used}] += ways
					continue
				}
				if s.used < singles {
					next[floorState{s.covered, s.used + 1}] += ways
				}
				if isOpen(r+1, c) {
					next[floorState{s.covered | here, s.used}] += ways
				}
				if isOpen(r, c+1) && s.covered&right == 0 {
					next[floorState{s.covered | right, s.used}] += ways
				}
			}
			states = next
		}
	}
	return states[floorState{0, singles}]
}
