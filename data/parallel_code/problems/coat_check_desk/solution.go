package solution

import (
	"fmt"
	"strconv"
	"strings"
)

type coatRail []string

func (r coatRail) find(name string) int {
	for i, guest := range r {
		if guest == name {
			return i
		}
	}
	return -1
}

func (r coatRail) bring(name string) string {
	if place := r.find(name); place >= 0 {
		return fmt.Sprintf("already on %d", place+1)
	}
	place := r.find("")
	if place < 0 {
		return "full"
	}
	r[place] = name
	return fmt.Sprintf("hook %d", place+1)
}

func (r coatRail) fetch(name string) string {
	place := r.find(name)
	if place < 0 {
		return "no coat"
	}
	r[place] = ""
	return fmt.Sprintf("from %d", place+1)
}

func (r coatRail) who(number string) string {
	hook, err := strconv.Atoi(number)
	if err != nil || hook < 1 || hook > len(r) || r[hook-1] == "" {
		return "free"
	}
	return r[hook-1]
}

func (r coatRail) close() string {
	var names []string
	for i, guest := range r {
		if guest != "" {
			names = append(names, guest)
			r[i] = ""
		}
	}
	if len(names) == 0 {
		return "empty"
	}
	return strings.Join(names, ",")
}

func CoatCheckDesk(hooks int, operations []string) []string {
	rail := make(coatRail, hooks)
	answers := make([]string, len(operations))
	for i, operation := range operations {
		name, argument, _ := strings.Cut(operation, " ")
		switch name {
		case "in":
			answers[i] = rail.bring(argument)
		case "out":
			answers[i] = rail.fetch(argument)
		case "who":
			answers[i] = rail.who(argument)
		case "close":
			answers[i] = rail.close()
		}
	}
	return answers
}
