package solution

import (
	"fmt"
	"regexp"
	"strings"
)

var number = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

func StockTableLines(header []string, rows [][]string) []string {
	widths := make([]int, len(header))
	textual := make([]bool, len(header))
	rule := make([]string, len(header))
	for i, title := range header {
		widths[i] = len(title)
		textual[i] = len(rows) == 0
		for _, row := range rows {
			if len(row[i]) > widths[i] {
				widths[i] = len(row[i])
			}
			if !number.MatchString(row[i]) {
				textual[i] = true
			}
		}
		rule[i] = strings.Repeat("-", widths[i])
	}

	layout := func(cells []string) string {
		var line strings.Builder
		for i, cell := range cells {
			if i > 0 {
				line.WriteString("  ")
			}
			if textual[i] {
				fmt.Fprintf(&line, "%-*s", widths[i], cell)
			} else {
				fmt.Fprintf(&line, "%*s", widths[i], cell)
			}
		}
		return strings.TrimRight(line.String(), " ")
	}

	lines := []string{layout(header), layout(rule)}
	for _, row := range rows {
		lines = append(lines, layout(row))
	}
	return lines
}
