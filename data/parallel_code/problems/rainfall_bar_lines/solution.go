package solution

import (
	"fmt"
	"strings"
)

func RainfallBarLines(labels []string, amounts []int, width int) []string {
	margin, highest := 0, 0
	for i, label := range labels {
		if len(label) > margin {
			margin = len(label)
		}
		if amounts[i] > highest {
			highest = amounts[i]
		}
	}

	lines := make([]string, 0, len(labels))
	for i, label := range labels {
		length := 0
		if amounts[i] > 0 {
			length = amounts[i] * width / highest
			if length == 0 {
				length = 1
			}
		}
		bar := strings.Repeat("#", length)
		lines = append(lines, fmt.Sprintf("%*s |%s %d", margin, label, bar, amounts[i]))
	}
	return lines
}
