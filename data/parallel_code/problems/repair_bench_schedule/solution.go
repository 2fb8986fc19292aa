package solution

import "sort"

func RepairBenchSchedule(jobs [][]int, benches int) [][]int {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool {
		a, b := jobs[order[i]], jobs[order[j]]
		if a[2] != b[2] {
			return a[2] > b[2]
		}
		return a[0] < b[0]
	})

	plan := make([][]int, len(jobs))
	freeFrom := make([]int, benches)
	for minute, left := 0, len(jobs); left > 0; minute++ {
		for bench := range freeFrom {
			if freeFrom[bench] > minute {
				continue
			}
			for _, job := range order {
				if plan[job] == nil && jobs[job][0] <= minute {
					plan[job] = []int{bench, minute}
					freeFrom[bench] = minute + jobs[job][1]
					left--
					break
				}
			}
		}
	}
	return plan
}
