package solution

import (
	"strconv"
	"strings"
)

func TillTapeTotal(tape string) float64 {
	total := 0.0
	sign := byte('+')
	for tape != "" {
		end := strings.IndexAny(tape, "+-*/%")
		if end < 0 {
			end = len(tape)
		}
		amount, _ := strconv.ParseFloat(tape[:end], 64)
		tape = tape[end:]
		if strings.HasPrefix(tape, "%") {
			tape = tape[1:]
			if sign == '+' || sign == '-' {
				amount *= total
			}
			amount /= 100
		}

		switch sign {
		case '+':
			total += amount
		case '-':
			total -= amount
		case '*':
			total *= amount
		case '/':
			total /= amount
		}
		if tape != "" {
			sign, tape = tape[0], tape[1:]
		}
	}
	return total
}
