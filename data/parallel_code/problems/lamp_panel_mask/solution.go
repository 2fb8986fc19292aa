package solution

func LampPanelMask(presses []int) int {
	mask := 0
	for _, lamp := range presses {
		mask ^= 1 << lamp
	}
	return mask
}
