package solution

import (
	"fmt"
	"strings"
)

func JarLabelBox(lines []string) []string {
	width := 0
	for _, line := range lines {
		if len(line) > width {
			width = len(line)
		}
	}
	edge := "+" + strings.Repeat("-", width+2) + "+"
	box := []string{edge}
	for _, line := range lines {
		box = append(box, fmt.Sprintf("| %-*s |", width, line))
	}
	return append(box, edge)
}
