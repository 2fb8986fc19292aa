package solution

import (
	"sort"
	"strings"
)

type cupboard map[string]cupboard

func (c cupboard) put(place string) {
	name, inside, deeper := strings.Cut(place, "/")
	if c[name] == nil {
		c[name] = cupboard{}
	}
	if deeper {
		c[name].put(inside)
	}
}

func (c cupboard) draw(indent string, lines []string) []string {
	names := make([]string, 0, len(c))
	for name := range c {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		branch, below := "|-- ", "|   "
		if i == len(names)-1 {
			branch, below = "`-- ", "    "
		}
		lines = append(lines, indent+branch+name)
		lines = c[name].draw(indent+below, lines)
	}
	return lines
}

func CupboardTreeLines(places []string) []string {
	root := cupboard{}
	for _, place := range places {
		root.put(place)
	}
	return root.draw("", []string{})
}
