package solution

import (
	"sort"
	"strings"
)

func branchCode(offshoots [][]int, branch int) string {
	codes := make([]string, 0, len(offshoots[branch]))
	for _, offshoot := range offshoots[branch] {
		codes = append(codes, branchCode(offshoots, offshoot))
	}
	sort.Strings(codes)
	return "(" + strings.Join(codes, "") + ")"
}

func RootSystemCode(parents []int) string {
	offshoots := make([][]int, len(parents))
	mainRoot := 0
	for i, parent := range parents {
		if parent == -1 {
			mainRoot = i
		} else {
			offshoots[parent] = append(offshoots[parent], i)
		}
	}
	return branchCode(offshoots, mainRoot)
}
