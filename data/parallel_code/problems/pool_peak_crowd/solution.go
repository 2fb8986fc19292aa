package solution

import "sort"

func PoolPeakCrowd(entries []int, exits []int) []int {
	ins := append([]int{}, entries...)
	outs := append([]int{}, exits...)
	sort.Ints(ins)
	sort.Ints(outs)

	peak, reached, lasted := 0, -1, 0
	entered, left := 0, 0
	for left < len(outs) {
		minute := outs[left]
		if entered < len(ins) && ins[entered] < minute {
			minute = ins[entered]
		}
		for entered < len(ins) && ins[entered] == minute {
			entered++
		}
		for left < len(outs) && outs[left] == minute {
			left++
		}
		crowd := entered - left
		if crowd == 0 {
			continue
		}
		until := outs[left]
		if entered < len(ins) && ins[entered] < until {
			until = ins[entered]
		}
		if crowd > peak {
			peak, reached, lasted = crowd, minute, 0
		}
		if crowd == peak {
			lasted += until - minute
		}
	}
	return []int{peak, reached, lasted}
}
