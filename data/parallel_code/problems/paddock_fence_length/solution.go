package solution

import "math"

func PaddockFenceLength(posts [][]int) float64 {
	length := 0.0
	for i, post := range posts {
		next := posts[(i+1)%len(posts)]
		length += math.Hypot(float64(next[0]-post[0]), float64(next[1]-post[1]))
	}
	return length
}
