package solution

import (
	"strconv"
	"strings"
)

func FlourOrderGrams(order string) int {
	units := []struct {
		name  string
		grams int
	}{{"kg", 1000}, {"sack", 25000}, {"g", 1}}

	total := 0
	for _, amount := range strings.Split(strings.ReplaceAll(order, " ", ""), "+") {
		for _, unit := range units {
			if strings.HasSuffix(amount, unit.name) {
				number, _ := strconv.Atoi(strings.TrimSuffix(amount, unit.name))
				total += number * unit.grams
				break
			}
		}
	}
	return total
}
