package solution

func UnpackSensorWord(word int, widths []int) []int {
	readings := make([]int, 0, len(widths)+1)
	for _, width := range widths {
		readings = append(readings, word&(1<<width-1))
		word >>= width
	}
	return append(readings, word)
}
