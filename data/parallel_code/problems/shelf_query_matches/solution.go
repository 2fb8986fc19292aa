package solution

import (
	"strconv"
	"strings"
)

type term struct {
	negated bool
	field   string
	sign    byte
	text    string
}

func parseTerm(word string) term {
	var t term
	if word[0] == '-' {
		t.negated = true
		word = word[1:]
	}
	t.text = word
	if at := strings.IndexAny(word, ":=<>"); at >= 0 {
		t.field, t.sign, t.text = word[:at], word[at], word[at+1:]
	}
	return t
}

func (t term) accepts(value string) bool {
	switch t.sign {
	case '=':
		return value == t.text
	case '<', '>':
		have, err := strconv.Atoi(value)
		if err != nil || strings.HasPrefix(value, "+") {
			return false
		}
		limit, _ := strconv.Atoi(t.text)
		return t.sign == '<' && have < limit || t.sign == '>' && have > limit
	}
	return strings.Contains(strings.ToLower(value), strings.ToLower(t.text))
}

func (t term) holds(item map[string]string) bool {
	for name, value := range item {
		if (t.field == "" || t.field == name) && t.accepts(value) {
			return !t.negated
		}
	}
	return t.negated
}

func ShelfQueryMatches(query string, items []map[string]string) []int {
	matches := []int{}
search:
	for i, item := range items {
		for _, word := range strings.Fields(query) {
			if !parseTerm(word).holds(item) {
				continue search
			}
		}
		matches = append(matches, i)
	}
	return matches
}
