package solution

import (
	"fmt"
	"strings"
)

func GuestLineSentence(names []string, limit int) string {
	if len(names) == 0 {
		return "nobody"
	}
	front, last := names[:len(names)-1], names[len(names)-1]
	if hidden := len(names) - limit; hidden > 0 {
		front, last = names[:limit], fmt.Sprintf("%d others", hidden)
		if hidden == 1 {
			last = "1 other"
		}
	}
	if len(front) == 0 {
		return last
	}
	return strings.Join(front, ", ") + " and " + last
}
