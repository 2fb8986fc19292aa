package solution

import "container/heap"

type trip struct{ paid, used, town int }

type tripQueue []trip

func (q tripQueue) Len() int { return len(q) }

func (q tripQueue) Less(i, j int) bool {
	if q[i].paid != q[j].paid {
		return q[i].paid < q[j].paid
	}
	return q[i].used < q[j].used
}

func (q tripQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *tripQueue) Push(x any) { *q = append(*q, x.(trip)) }

func (q *tripQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func SaltRoadToll(towns int, roads [][]int, waivers int, start int, goal int) []int {
	type link struct{ town, toll int }
	links := make([][]link, towns)
	for _, road := range roads {
		a, b, toll := road[0], road[1], road[2]
		links[a] = append(links[a], link{b, toll})
		links[b] = append(links[b], link{a, toll})
	}
	type place struct{ town, used int }
	settled := map[place]bool{}
	queue := &tripQueue{{town: start}}
	for queue.Len() > 0 {
		t := heap.Pop(queue).(trip)
		if t.town == goal {
			return []int{t.paid, t.used}
		}
		here := place{t.town, t.used}
		if settled[here] {
			continue
		}
		settled[here] = true
		for _, next := range links[t.town] {
			heap.Push(queue, trip{t.paid + next.toll, t.used, next.town})
			if t.used < waivers {
				heap.Push(queue, trip{t.paid, t.used + 1, next.town})
			}
		}
	}
	return []int{-1, -1}
}
