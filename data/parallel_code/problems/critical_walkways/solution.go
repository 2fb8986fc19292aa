package solution

import "sort"

type link struct{ island, number int }

type lake struct {
	links    [][]link
	found    []int
	lowest   []int
	clock    int
	critical [][]int
}

func CriticalWalkways(islands int, walkways [][]int) [][]int {
	l := &lake{
		links:    make([][]link, islands),
		found:    make([]int, islands),
		lowest:   make([]int, islands),
		critical: [][]int{},
	}
	for number, walkway := range walkways {
		a, b := walkway[0], walkway[1]
		l.links[a] = append(l.links[a], link{b, number})
		l.links[b] = append(l.links[b], link{a, number})
	}
	for island := range l.found {
		if l.found[island] == 0 {
			l.explore(island, -1)
		}
	}
	sort.Slice(l.critical, func(i, j int) bool {
		p, q := l.critical[i], l.critical[j]
		return p[0] < q[0] || p[0] == q[0] && p[1] < q[1]
	})
	return l.critical
}

func (l *lake) explore(island, arrivedBy int) {
	l.clock++
	l.found[island] = l.clock
	l.lowest[island] = l.clock
	for _, next := range l.links[island] {
		if next.number == arrivedBy {
			continue
		}
		if l.found[next.island] > 0 {
			l.lower(island, l.found[next.island])
			continue
		}
		l.explore(next.island, next.number)
		l.lower(island, l.lowest[next.island])
		if l.lowest[next.island] > l.found[island] {
			pair := []int{island, next.island}
			sort.Ints(pair)
			l.critical = append(l.critical, pair)
		}
	}
}

func (l *lake) lower(island, reached int) {
	if reached < l.lowest[island] {
		l.lowest[island] = reached
	}
}
