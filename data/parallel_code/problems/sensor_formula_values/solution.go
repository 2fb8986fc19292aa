package solution

import (
	"strconv"
	"strings"
)

type reading struct {
	value int
	known bool
}

type board struct {
	formulas map[string]string
	readings map[string]reading
}

func (b *board) read(name string) reading {
	if r, seen := b.readings[name]; seen {
		return r
	}
	b.readings[name] = reading{}
	formula, defined := b.formulas[name]
	if defined {
		r, _ := b.evaluate(strings.Fields(formula))
		b.readings[name] = r
	}
	return b.readings[name]
}

func (b *board) evaluate(tokens []string) (reading, []string) {
	token, rest := tokens[0], tokens[1:]
	switch token {
	case "+", "-", "*", "max":
		left, rest := b.evaluate(rest)
		right, rest := b.evaluate(rest)
		return combine(token, left, right), rest
	}
	if number, err := strconv.Atoi(token); err == nil {
		return reading{number, true}, rest
	}
	return b.read(token), rest
}

func combine(operator string, left, right reading) reading {
	result := reading{known: left.known && right.known}
	switch operator {
	case "+":
		result.value = left.value + right.value
	case "-":
		result.value = left.value - right.value
	case "*":
		result.value = left.value * right.value
	default:
		result.value = left.value
		if right.value > left.value {
			result.value = right.value
		}
	}
	return result
}

func SensorFormulaValues(formulas map[string]string) map[string]int {
	b := &board{formulas: formulas, readings: map[string]reading{}}
	values := map[string]int{}
	for name := range formulas {
		if r := b.read(name); r.known {
			values[name] = r.value
		}
	}
	return values
}
