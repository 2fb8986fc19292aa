package solution

import (
	"fmt"
	"strconv"
	"strings"
)

func LockerRangeCodes(spec string) []string {
	codes := []string{}
	for _, item := range strings.Split(spec, ",") {
		item = strings.TrimSpace(item)
		first, last, isRange := strings.Cut(item, "..")
		if !isRange {
			if item != "" {
				codes = append(codes, item)
			}
			continue
		}
		start, _ := strconv.Atoi(first[1:])
		stop, _ := strconv.Atoi(last[1:])
		step := 1
		if start > stop {
			step = -1
		}
		for n := start; n != stop+step; n += step {
			codes = append(codes, fmt.Sprintf("%c%0*d", first[0], len(first)-1, n))
		}
	}
	return codes
}
