package solution

func UnheatedPlots(plots []string, reach int) int {
	type cell struct{ row, column int }
	var heaters, planted []cell
	for r, row := range plots {
		for c, kind := range row {
			switch kind {
			case 'H':
				heaters = append(heaters, cell{r, c})
			case '.':
				planted = append(planted, cell{r, c})
			}
		}
	}
	cold := 0
plots:
	for _, plot := range planted {
		for _, heater := range heaters {
			if distance(plot.row, heater.row)+distance(plot.column, heater.column) <= reach {
				continue plots
			}
		}
		cold++
	}
	return cold
}

func distance(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}
