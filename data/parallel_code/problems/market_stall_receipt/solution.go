package solution

import (
	"fmt"
	"sort"
	"strings"
)

func MarketStallReceipt(basket []string, prices map[string]int, offers map[string][]int) []string {
	counts := map[string]int{}
	for _, good := range basket {
		counts[good]++
	}
	goods := make([]string, 0, len(counts))
	for good := range counts {
		goods = append(goods, good)
	}
	sort.Strings(goods)

	var lines, unsold []string
	total, saved := 0, 0
	for _, good := range goods {
		price, known := prices[good]
		if !known {
			unsold = append(unsold, good)
			continue
		}
		units := counts[good]
		cost := units * price
		if offer, ok := offers[good]; ok {
			cost = units/offer[0]*offer[1] + units%offer[0]*price
			saved += units*price - cost
		}
		lines = append(lines, fmt.Sprintf("%s x%d %d", good, units, cost))
		total += cost
	}

	if saved > 0 {
		lines = append(lines, fmt.Sprintf("saved %d", saved))
	}
	lines = append(lines, fmt.Sprintf("total %d", total))
	if len(unsold) > 0 {
		lines = append(lines, "not sold: "+strings.Join(unsold, ", "))
	}
	return lines
}
