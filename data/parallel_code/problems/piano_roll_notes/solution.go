package solution

import (
	"strconv"
	"strings"
)

type command struct {
	name   string
	number int
	block  []command
}

func parseBlock(roll []string) (block []command, rest []string) {
	for len(roll) > 0 {
		name, argument, _ := strings.Cut(roll[0], " ")
		roll = roll[1:]
		if name == "end" {
			break
		}
		next := command{name: name}
		next.number, _ = strconv.Atoi(argument)
		if name == "repeat" {
			next.block, roll = parseBlock(roll)
		}
		block = append(block, next)
	}
	return block, roll
}

type piano struct {
	base, limit int
	notes       []int
}

func (p *piano) perform(block []command) {
	for _, c := range block {
		if len(p.notes) == p.limit {
			return
		}
		switch c.name {
		case "play":
			p.notes = append(p.notes, p.base+c.number)
		case "rest":
			p.notes = append(p.notes, -1)
		case "shift":
			p.base += c.number
		case "home":
			p.base = 60
		case "repeat":
			for i := 0; i < c.number; i++ {
				p.perform(c.block)
			}
		}
	}
}

func PianoRollNotes(roll []string, limit int) []int {
	player := piano{base: 60, limit: limit, notes: []int{}}
	block, _ := parseBlock(roll)
	player.perform(block)
	return player.notes
}
