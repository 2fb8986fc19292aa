package solution

const dayLength = 24 * 60

func SharedRadioMinutes(first [][]int, second [][]int) int {
	var firstOnAir, secondOnAir [dayLength]bool
	mark(first, &firstOnAir)
	mark(second, &secondOnAir)
	shared := 0
	for minute, onAir := range firstOnAir {
		if onAir && secondOnAir[minute] {
			shared++
		}
	}
	return shared
}

func mark(spans [][]int, onAir *[dayLength]bool) {
	for _, span := range spans {
		for minute := span[0]; minute < span[1]; minute++ {
			onAir[minute] = true
		}
	}
}
