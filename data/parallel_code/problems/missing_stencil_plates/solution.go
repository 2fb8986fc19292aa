package solution

import "strings"

func MissingStencilPlates(marks []string, plates string) string {
	var needed [128]int
	for _, mark := range marks {
		for i := 0; i < len(mark); i++ {
			needed[mark[i]]++
		}
	}
	for i := 0; i < len(plates); i++ {
		needed[plates[i]]--
	}
	needed[' '] = 0

	var toBuy strings.Builder
	for c, count := range needed {
		if count > 0 {
			toBuy.WriteString(strings.Repeat(string(rune(c)), count))
		}
	}
	return toBuy.String()
}
