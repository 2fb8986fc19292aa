package solution

func floorDiv(a, b int) int {
	quotient := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		quotient--
	}
	return quotient
}

func CashDrawerRounding(prices []int, step int) int {
	total := 0
	for _, price := range prices {
		total += price
	}
	return floorDiv(2*total+step, 2*step) * step
}
