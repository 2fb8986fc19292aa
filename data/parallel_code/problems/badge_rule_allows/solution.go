package solution

import (
	"regexp"
	"strconv"
)

var rulePart = regexp.MustCompile(`\w+|[^\s\w]`)

type ruleReader struct {
	tokens []string
	held   map[string]bool
}

func (r *ruleReader) next() string {
	token := r.tokens[0]
	r.tokens = r.tokens[1:]
	return token
}

func (r *ruleReader) skip(token string) bool {
	if len(r.tokens) == 0 || r.tokens[0] != token {
		return false
	}
	r.next()
	return true
}

func (r *ruleReader) either() bool {
	result := r.both()
	for r.skip("|") {
		if r.both() {
			result = true
		}
	}
	return result
}

func (r *ruleReader) both() bool {
	result := r.single()
	for r.skip("&") {
		if !r.single() {
			result = false
		}
	}
	return result
}

func (r *ruleReader) single() bool {
	token := r.next()
	switch token {
	case "!":
		return !r.single()
	case "(":
		result := r.either()
		r.next()
		return result
	}

	needed, err := strconv.Atoi(token)
	if err != nil {
		return r.held[token]
	}
	r.skip("of")
	for more := r.skip("("); more; more = r.next() == "," {
		if r.either() {
			needed--
		}
	}
	return needed <= 0
}

func BadgeRuleAllows(rule string, badges []string) bool {
	reader := ruleReader{rulePart.FindAllString(rule, -1), map[string]bool{}}
	for _, badge := range badges {
		reader.held[badge] = true
	}
	return len(reader.tokens) == 0 || reader.either()
}
