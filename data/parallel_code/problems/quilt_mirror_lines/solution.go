package solution

func QuiltMirrorLines(patches []string) int {
	if len(patches) == 0 {
		return 0
	}
	height, width := len(patches), len(patches[0])
	count := 0
	for _, row := range patches {
		if mirrored(width, func(i int) byte { return row[i] }) {
			count++
		}
	}
	for c := 0; c < width; c++ {
		if mirrored(height, func(i int) byte { return patches[i][c] }) {
			count++
		}
	}
	return count
}

func mirrored(length int, patch func(int) byte) bool {
	for i := 0; i < length/2; i++ {
		if patch(i) != patch(length-1-i) {
			return false
		}
	}
	return true
}
