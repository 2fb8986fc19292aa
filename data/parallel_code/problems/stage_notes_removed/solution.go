package solution

import "strings"

func StageNotesRemoved(script string) string {
	var kept strings.Builder
	depth, muted := 0, false
	for _, c := range script {
		switch {
		case depth > 0 && c == '}':
			depth--
		case c == '{' && !muted:
			depth++
		case depth > 0:
			continue
		case c == '\n':
			muted = false
			kept.WriteRune(c)
		case c == '~':
			muted = true
		case !muted:
			kept.WriteRune(c)
		}
	}
	return kept.String()
}
