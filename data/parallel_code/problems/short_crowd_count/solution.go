package solution

import (
	"fmt"
	"strconv"
)

func ShortCrowdCount(count int64) string {
	if count < 1000 {
		return strconv.FormatInt(count, 10)
	}
	suffixes := []string{"k", "m", "bn"}
	tenths := count / 100
	for len(suffixes) > 1 && tenths >= 10000 {
		tenths /= 1000
		suffixes = suffixes[1:]
	}
	if tenths < 100 && tenths%10 != 0 {
		return fmt.Sprintf("%d.%d%s", tenths/10, tenths%10, suffixes[0])
	}
	return fmt.Sprintf("%d%s", tenths/10, suffixes[0])
}
