package solution

func RotaShiftMatch(printed []string, current []string) int {
	n := len(printed)
	if n != len(current) {
		return -1
	}
	if n == 0 {
		return 0
	}
	for shift := 0; shift < n; shift++ {
		if matchesAfter(shift, printed, current) {
			return shift
		}
	}
	return -1
}

func matchesAfter(shift int, printed, current []string) bool {
	for i, name := range current {
		if printed[(i+shift)%len(printed)] != name {
			return false
		}
	}
	return true
}
