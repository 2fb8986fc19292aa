package solution

import "strings"

func LampRowAfterPulls(count int, pulls []int) string {
	row := []byte(strings.Repeat(".", count))
	for _, lamp := range pulls {
		if lamp < 1 || lamp > count {
			continue
		}
		row[lamp-1] ^= '.' ^ '*'
	}
	return string(row)
}
