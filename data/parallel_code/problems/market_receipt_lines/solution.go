package solution

import (
	"fmt"
	"strings"
)

type article struct {
	name  string
	price int
}

func money(cents int) string {
	if cents < 0 {
		return "-" + money(-cents)
	}
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

func MarketReceiptLines(names []string, quantities []int, prices []int, width int, paid int) []string {
	basket := map[article]int{}
	var order []article
	for i, name := range names {
		item := article{name, prices[i]}
		if _, seen := basket[item]; !seen {
			order = append(order, item)
		}
		basket[item] += quantities[i]
	}

	var lines []string
	print := func(text string, cents int) {
		amount := money(cents)
		room := width - len(amount) - 1
		lines = append(lines, fmt.Sprintf("%-*.*s %s", room, room, text, amount))
	}
	sum := 0
	for _, item := range order {
		quantity := basket[item]
		sum += quantity * item.price
		print(item.name, quantity*item.price)
		if quantity > 1 {
			lines = append(lines, fmt.Sprintf("  %d x %s", quantity, money(item.price)))
		}
	}
	lines = append(lines, strings.Repeat("-", width))

	total := sum
	if sum >= 5000 {
		total -= sum / 20
		print("SUBTOTAL", sum)
		print("DISCOUNT", total-sum)
	}
	print("TOTAL", total)
	print("PAID", paid)
	if paid >= total {
		print("CHANGE", paid-total)
	} else {
		print("OWING", total-paid)
	}
	return lines
}
