package solution

import (
	"fmt"
	"strconv"
)

func roundDiv(value, divisor int) int {
	if value < 0 {
		return -roundDiv(-value, divisor)
	}
	return (2*value + divisor) / (2 * divisor)
}

func rateLabel(rate int) string {
	if rate%10 == 0 {
		return strconv.Itoa(rate/10) + "%"
	}
	return fmt.Sprintf("%d.%d%%", rate/10, rate%10)
}

func InvoiceTaxSummary(lines [][]int) map[string][]int {
	nets := map[int]int{}
	for _, line := range lines {
		quantity, price, discount, rate := line[0], line[1], line[2], line[3]
		nets[rate] += roundDiv(quantity*price*(100-discount), 100)
	}
	summary := make(map[string][]int, len(nets)+1)
	totalNet, totalTax := 0, 0
	for rate, net := range nets {
		tax := roundDiv(net*rate, 1000)
		summary[rateLabel(rate)] = []int{net, tax}
		totalNet += net
		totalTax += tax
	}
	summary["total"] = []int{totalNet, totalTax}
	return summary
}
