package solution

import (
	"fmt"
	"strings"
)

func TwoColumnNotice(text string, width, gap int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}

	half := (len(lines) + 1) / 2
	rows := append([]string{}, lines[:half]...)
	for i, right := range lines[half:] {
		rows[i] = fmt.Sprintf("%-*s%s", width+gap, rows[i], right)
	}
	return rows
}
