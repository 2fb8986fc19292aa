package solution

import (
	"fmt"
	"strconv"
)

func LedgerAmountText(cents int64) string {
	negative := cents < 0
	if negative {
		cents = -cents
	}
	whole := strconv.FormatInt(cents/100, 10)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	text := fmt.Sprintf("%s.%02d", whole, cents%100)
	if negative {
		return "(" + text + ")"
	}
	return text
}
