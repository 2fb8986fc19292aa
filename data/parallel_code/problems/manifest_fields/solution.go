package solution

import "strings"

func ManifestFields(line string) []string {
	var fields []string
	var field strings.Builder
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && strings.HasPrefix(line[i:], "''"):
			field.WriteByte('\'')
			i++
		case c == '\'':
			quoted = !quoted
		case c == ';' && !quoted:
			fields = append(fields, field.String())
			field.Reset()
		default:
			field.WriteByte(c)
		}
	}
	return append(fields, field.String())
}
