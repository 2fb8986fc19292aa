package solution

import (
	"regexp"
	"strconv"
	"strings"
)

var chunkPattern = regexp.MustCompile(`\d+|\D+`)

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compareChunks(a, b string) int {
	m, aErr := strconv.Atoi(a)
	n, bErr := strconv.Atoi(b)
	switch {
	case aErr == nil && bErr == nil:
		return compareInts(m, n)
	case aErr == nil:
		return -1
	case bErr == nil:
		return 1
	}
	return strings.Compare(a, b)
}

func CompareBinLabels(left, right string) int {
	a := chunkPattern.FindAllString(strings.ToLower(left), -1)
	b := chunkPattern.FindAllString(strings.ToLower(right), -1)
	for i := 0; i < len(a) && i < len(b); i++ {
		if order := compareChunks(a[i], b[i]); order != 0 {
			return order
		}
	}
	if order := compareInts(len(a), len(b)); order != 0 {
		return order
	}
	if order := compareInts(len(left), len(right)); order != 0 {
		return order
	}
	return strings.Compare(left, right)
}
