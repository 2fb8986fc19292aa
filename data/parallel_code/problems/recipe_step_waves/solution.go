package solution

import "sort"

func RecipeStepWaves(steps int, needs [][]int) [][]int {
	waiting := make([]int, steps)
	after := make([][]int, steps)
	for _, need := range needs {
		waiting[need[1]]++
		after[need[0]] = append(after[need[0]], need[1])
	}
	var wave []int
	for step, count := range waiting {
		if count == 0 {
			wave = append(wave, step)
		}
	}
	waves := [][]int{}
	for len(wave) > 0 {
		waves = append(waves, wave)
		var next []int
		for _, step := range wave {
			for _, later := range after[step] {
				waiting[later]--
				if waiting[later] == 0 {
					next = append(next, later)
				}
			}
		}
		sort.Ints(next)
		wave = next
	}
	return waves
}
