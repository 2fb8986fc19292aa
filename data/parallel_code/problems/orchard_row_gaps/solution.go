package solution

import "strings"

func OrchardRowGaps(rows []string) []int {
	longest := make([]int, len(rows))
	for i, row := range rows {
		for _, gap := range strings.Split(row, "T") {
			if len(gap) > longest[i] {
				longest[i] = len(gap)
			}
		}
	}
	return longest
}
