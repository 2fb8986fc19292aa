package solution

func startedUnits(value, unit int) int {
	if value <= 0 {
		return 0
	}
	return (value + unit - 1) / unit
}

func NightTaxiFare(segments [][]int, night bool) int {
	cruising, crawling := 0, 0
	for _, segment := range segments {
		metres, seconds := segment[0], segment[1]
		if metres < 5*seconds {
			crawling += seconds
		} else {
			cruising += metres
		}
	}
	fare := 320 + 20*startedUnits(cruising-500, 100) + 15*startedUnits(crawling, 20)
	if night {
		return 10 * startedUnits(fare, 8)
	}
	return fare
}
