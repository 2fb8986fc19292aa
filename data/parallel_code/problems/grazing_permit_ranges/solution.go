package solution

import "sort"

func GrazingPermitRanges(entries [][]int) [][]int {
	marks := []int{}
	for _, entry := range entries {
		marks = append(marks, entry[1], entry[2]+1)
	}
	sort.Ints(marks)

	permitted := make([]bool, len(marks))
	for _, entry := range entries {
		from := sort.SearchInts(marks, entry[1])
		to := sort.SearchInts(marks, entry[2]+1)
		for i := from; i < to; i++ {
			switch entry[0] {
			case 0:
				permitted[i] = false
			case 1:
				permitted[i] = true
			case 2:
				permitted[i] = !permitted[i]
			}
		}
	}

	ranges := [][]int{}
	for i, ok := range permitted {
		if !ok || marks[i] == marks[i+1] {
			continue
		}
		first, last := marks[i], marks[i+1]-1
		if n := len(ranges); n > 0 && ranges[n-1][1] == first-1 {
			ranges[n-1][1] = last
			continue
		}
		ranges = append(ranges, []int{first, last})
	}
	return ranges
}
