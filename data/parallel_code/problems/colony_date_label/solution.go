package solution

import "fmt"

func ColonyDateLabel(day int) string {
	year := 1
	for day >= yearLength(year) {
		day -= yearLength(year)
		year++
	}
	month, date := day/28+1, day%28+1
	if month > 13 {
		return fmt.Sprintf("Y%d-F%d", year, date)
	}
	return fmt.Sprintf("Y%d-M%02d-D%02d", year, month, date)
}

func yearLength(year int) int {
	if year%4 == 0 {
		return 366
	}
	return 365
}
