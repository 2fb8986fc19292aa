package solution

import "sort"

func OvenReadyMinute(ovens [][]int, target int) int {
	if target == 0 {
		return 0
	}
	if len(ovens) == 0 {
		return -1
	}
	latest := ovens[0][0] + ovens[0][1]*target
	return sort.Search(latest, func(minute int) bool {
		delivered := 0
		for _, oven := range ovens {
			warmUp, period, loaves := oven[0], oven[1], oven[2]
			if minute > warmUp {
				delivered += (minute - warmUp) / period * loaves
			}
		}
		return delivered >= target
	})
}
