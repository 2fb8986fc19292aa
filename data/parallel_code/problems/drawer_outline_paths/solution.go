package solution

import "strings"

func DrawerOutlinePaths(lines []string) []string {
	paths := []string{}
	var trail []string
	for _, line := range lines {
		name := strings.TrimLeft(line, " ")
		if name == "" {
			continue
		}
		depth := (len(line) - len(name)) / 2
		trail = append(trail[:depth], name)
		paths = append(paths, strings.Join(trail, "/"))
	}
	return paths
}
