package solution

import "strings"

func KilnConfigSections(text string) map[string]map[string]string {
	sections := map[string]map[string]string{}
	open := func(name string) map[string]string {
		if sections[name] == nil {
			sections[name] = map[string]string{}
		}
		return sections[name]
	}

	current := "base"
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			current = strings.TrimSpace(line[1 : len(line)-1])
			open(current)
			continue
		}
		key, value, found := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		entries := open(current)
		switch {
		case !found:
			entries[key] = "on"
		case strings.HasSuffix(key, "+"):
			key = strings.TrimSpace(strings.TrimSuffix(key, "+"))
			entries[key] = strings.TrimSpace(entries[key] + " " + value)
		default:
			entries[key] = value
		}
	}
	return sections
}
