package solution

import "math"

type corner [2]float64

func ShadedPatioArea(shadow [][]int, patio []int) float64 {
	corners := make([]corner, len(shadow))
	for i, c := range shadow {
		corners[i] = corner{float64(c[0]), float64(c[1])}
	}
	for axis := 0; axis < 2; axis++ {
		corners = clip(corners, axis, 1, float64(patio[axis]))
		corners = clip(corners, axis, -1, float64(patio[axis+2]))
	}
	doubled := 0.0
	for i, c := range corners {
		next := corners[(i+1)%len(corners)]
		doubled += c[0]*next[1] - next[0]*c[1]
	}
	return math.Abs(doubled) / 2
}

func clip(corners []corner, axis int, sign, bound float64) []corner {
	var kept []corner
	for i, c := range corners {
		next := corners[(i+1)%len(corners)]
		depth := sign * (c[axis] - bound)
		nextDepth := sign * (next[axis] - bound)
		if depth >= 0 {
			kept = append(kept, c)
		}
		if depth*nextDepth < 0 {
			share := depth / (depth - nextDepth)
			kept = append(kept, corner{
				c[0] + share*(next[0]-c[0]),
				c[1] + share*(next[1]-c[1]),
			})
		}
	}
	return kept
}
