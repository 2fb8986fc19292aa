package solution

import "strings"

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func RedactVisitorLog(text string, names []string) string {
	hidden := make(map[string]bool, len(names))
	for _, name := range names {
		hidden[strings.ToLower(name)] = true
	}

	masked := []byte(text)
	for start := 0; start < len(text); {
		end := start
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		if hidden[strings.ToLower(text[start:end])] {
			for i := start + 1; i < end; i++ {
				masked[i] = '*'
			}
		}
		start = end + 1
	}
	return string(masked)
}
