package solution

import "fmt"

type rule struct {
	name string
	next func([]int) (int, bool)
}

func differences(counts []int) []int {
	steps := make([]int, len(counts)-1)
	for i := range steps {
		steps[i] = counts[i+1] - counts[i]
	}
	return steps
}

func steady(counts []int) (int, bool) {
	steps := differences(counts)
	for _, step := range steps {
		if step != steps[0] {
			return 0, false
		}
	}
	return counts[len(counts)-1] + steps[0], true
}

func scaled(counts []int) (int, bool) {
	first, second := counts[0], counts[1]
	if first == 0 {
		return 0, false
	}
	for i := 1; i < len(counts); i++ {
		if counts[i]*first != counts[i-1]*second {
			return 0, false
		}
	}
	product := counts[len(counts)-1] * second
	return product / first, product%first == 0
}

func summed(counts []int) (int, bool) {
	n := len(counts)
	for i := 2; i < n; i++ {
		if counts[i-2]+counts[i-1] != counts[i] {
			return 0, false
		}
	}
	return counts[n-2] + counts[n-1], n >= 4
}

func curved(counts []int) (int, bool) {
	if len(counts) < 4 {
		return 0, false
	}
	step, ok := steady(differences(counts))
	return counts[len(counts)-1] + step, ok
}

func woven(counts []int) (int, bool) {
	if len(counts) < 5 {
		return 0, false
	}
	var rows [2][]int
	for i, count := range counts {
		rows[i%2] = append(rows[i%2], count)
	}
	own := len(counts) % 2
	if _, ok := steady(rows[1-own]); !ok {
		return 0, false
	}
	return steady(rows[own])
}

func SeedRowForecast(counts []int) string {
	if len(counts) < 3 {
		return "unknown"
	}
	rules := []rule{
		{"steady", steady},
		{"scaled", scaled},
		{"summed", summed},
		{"curved", curved},
		{"woven", woven},
	}
	for _, r := range rules {
		if next, ok := r.next(counts); ok {
			return fmt.Sprintf("%s %d", r.name, next)
		}
	}
	return "irregular"
}
