package solution

type point struct{ x, y int }

type cable struct{ from, to point }

func CableCrossingPairs(cables [][]int) int {
	laid := make([]cable, len(cables))
	for i, c := range cables {
		laid[i] = cable{point{c[0], c[1]}, point{c[2], c[3]}}
	}
	pairs := 0
	for i, a := range laid {
		for _, b := range laid[:i] {
			if a.touches(b) {
				pairs++
			}
		}
	}
	return pairs
}

func (c cable) touches(d cable) bool {
	if c.side(d.from)*c.side(d.to) < 0 && d.side(c.from)*d.side(c.to) < 0 {
		return true
	}
	return c.holds(d.from) || c.holds(d.to) || d.holds(c.from) || d.holds(c.to)
}

func (c cable) side(p point) int {
	product := (c.to.x-c.from.x)*(p.y-c.from.y) - (c.to.y-c.from.y)*(p.x-c.from.x)
	switch {
	case product > 0:
		return 1
	case product < 0:
		return -1
	default:
		return 0
	}
}

func (c cable) holds(p point) bool {
	return c.side(p) == 0 &&
		(p.x-c.from.x)*(p.x-c.to.x) <= 0 &&
		(p.y-c.from.y)*(p.y-c.to.y) <= 0
}
