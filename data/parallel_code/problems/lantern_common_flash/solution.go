package solution

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func LanternCommonFlash(lanterns [][]int) int64 {
	minute, step := int64(0), int64(1)
	for _, lantern := range lanterns {
		if first := int64(lantern[1]); first > minute {
			minute = first
		}
	}
	for _, lantern := range lanterns {
		period, first := int64(lantern[0]), int64(lantern[1])
		shared := gcd(step, period)
		if (minute-first)%shared != 0 {
			return -1
		}
		for (minute-first)%period != 0 {
			minute += step
		}
		step *= period / shared
	}
	return minute
}
