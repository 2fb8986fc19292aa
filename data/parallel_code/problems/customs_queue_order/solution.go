package solution

import "sort"

func CustomsQueueOrder(travellers [][]string, precedence []string) []string {
	place := make(map[string]int, len(precedence))
	for i, class := range precedence {
		place[class] = i
	}
	rank := func(class string) int {
		if i, ok := place[class]; ok {
			return i
		}
		return len(precedence)
	}

	queue := append([][]string{}, travellers...)
	sort.SliceStable(queue, func(i, j int) bool {
		return rank(queue[i][1]) < rank(queue[j][1])
	})

	names := make([]string, len(queue))
	for i, traveller := range queue {
		names[i] = traveller[0]
	}
	return names
}
