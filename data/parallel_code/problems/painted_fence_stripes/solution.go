package solution

import "fmt"

type stripe struct {
	start, end int
	colour     string
}

func PaintedFenceStripes(length int, coats [][]int, colours []string) []string {
	fence := []stripe{{0, length, "bare"}}
	for i, coat := range coats {
		fence = paint(fence, stripe{coat[0], coat[1], colours[i]})
	}
	texts := []string{}
	for _, s := range fence {
		if s.start < s.end {
			texts = append(texts, fmt.Sprintf("%d-%d %s", s.start, s.end, s.colour))
		}
	}
	return texts
}

func paint(fence []stripe, coat stripe) []stripe {
	var painted []stripe
	add := func(s stripe) {
		last := len(painted) - 1
		switch {
		case s.start >= s.end:
			return
		case last >= 0 && painted[last].colour == s.colour:
			painted[last].end = s.end
		default:
			painted = append(painted, s)
		}
	}
	placed := false
	for _, s := range fence {
		if s.end <= coat.start {
			add(s)
			continue
		}
		if s.start < coat.start {
			add(stripe{s.start, coat.start, s.colour})
		}
		if !placed {
			add(coat)
			placed = true
		}
		if s.end > coat.end {
			start := s.start
			if start < coat.end {
				start = coat.end
			}
			add(stripe{start, s.end, s.colour})
		}
	}
	return painted
}
