package solution

import (
	"strconv"
	"strings"
)

func BuoyTelegramValues(telegram string) map[string]float64 {
	values := map[string]float64{}
	for _, group := range strings.Fields(telegram) {
		code, err := strconv.ParseUint(group[1:], 10, 16)
		if err != nil {
			continue
		}
		switch group[0] {
		case 'A', 'S':
			degrees := float64(code%1000) / 10
			if code/1000 == 1 {
				degrees = -degrees
			}
			if group[0] == 'A' {
				values["air"] = degrees
			} else {
				values["sea"] = degrees
			}
		case 'P':
			if code < 5000 {
				code += 10000
			}
			values["pressure"] = float64(code) / 10
		case 'W':
			tens, knots := code/100, code%100
			if tens > 50 {
				tens -= 50
				knots += 100
			}
			values["wind_from"] = float64(tens * 10)
			values["wind_speed"] = float64(knots)
		}
	}
	return values
}
