package solution

import "strconv"

type position struct {
	held, cost, profit int
}

func parse(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

func ExchangeDeskLedger(trades [][]string) map[string][]int {
	positions := map[string]position{}
	rejected := 0
	for _, trade := range trades {
		action, currency := trade[0], trade[1]
		quantity, amount := parse(trade[2]), parse(trade[3])
		p := positions[currency]
		switch {
		case action == "buy" && quantity > 0:
			p.held += quantity
			p.cost += amount
		case action == "sell" && quantity > 0 && quantity <= p.held:
			released := p.cost * quantity / p.held
			p.held -= quantity
			p.cost -= released
			p.profit += amount - released
		default:
			rejected++
			continue
		}
		positions[currency] = p
	}
	ledger := map[string][]int{"rejected": {rejected}}
	for currency, p := range positions {
		ledger[currency] = []int{p.held, p.cost, p.profit}
	}
	return ledger
}
