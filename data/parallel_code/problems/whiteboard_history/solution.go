package solution

import (
	"strconv"
	"strings"
)

func WhiteboardHistory(operations []string) []string {
	versions := []string{""}
	current := 0
	noted := ""
	shown := make([]string, 0, len(operations))
	for _, operation := range operations {
		name, argument, _ := strings.Cut(operation, " ")
		text := versions[current]
		edited := text
		switch name {
		case "write":
			edited += argument
		case "wipe":
			count, _ := strconv.Atoi(argument)
			if count > len(text) {
				count = len(text)
			}
			edited = text[:len(text)-count]
		case "recall":
			edited = noted
		case "note":
			noted = text
		case "undo":
			if current > 0 {
				current--
			}
		case "redo":
			if current < len(versions)-1 {
				current++
			}
		}
		if edited != text {
			current++
			versions = append(versions[:current], edited)
		}
		shown = append(shown, versions[current])
	}
	return shown
}
