package solution

import (
	"strconv"
	"strings"
)

func countStitches(part string) (map[string]int, int) {
	counts, total := map[string]int{}, 0
	for _, stitch := range strings.Fields(part) {
		name := strings.TrimRight(stitch, "0123456789")
		count := 1
		if len(name) < len(stitch) {
			count, _ = strconv.Atoi(stitch[len(name):])
		}
		counts[name] += count
		total += count
	}
	return counts, total
}

func KnitRowStitches(row string, needle int) map[string]int {
	parts := strings.Split(row, "*")
	if len(parts) == 1 {
		counts, total := countStitches(row)
		counts["left"] = needle - total
		return counts
	}

	counts, fixed := countStitches(parts[0] + " " + parts[2])
	section, size := countStitches(parts[1])
	left := needle - fixed
	if left >= size {
		for name, count := range section {
			counts[name] += left / size * count
		}
		left %= size
	}
	counts["left"] = left
	return counts
}
