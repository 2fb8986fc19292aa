package solution

import "fmt"

func ArchiveOutline(names []string, parents []int) []string {
	children := map[int][]int{}
	for i, parent := range parents {
		children[parent] = append(children[parent], i)
	}
	lines := []string{}
	var visit func(parent int, prefix string)
	visit = func(parent int, prefix string) {
		for i, child := range children[parent] {
			label := fmt.Sprintf("%s%d", prefix, i+1)
			lines = append(lines, label+" "+names[child])
			visit(child, label+".")
		}
	}
	visit(-1, "")
	return lines
}
