package solution

import "strings"

func SeedDrawerTag(name string) string {
	var tag strings.Builder
	for _, word := range strings.Fields(name) {
		if len(word) > 3 {
			word = word[:3]
		}
		tag.WriteString(strings.ToUpper(word[:1]))
		tag.WriteString(strings.ToLower(word[1:]))
	}
	return tag.String()
}
