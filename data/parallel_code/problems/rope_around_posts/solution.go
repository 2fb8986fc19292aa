package solution

import "sort"

func RopeAroundPosts(posts [][]int) [][]int {
	points := make([][]int, 0, len(posts))
	for _, post := range posts {
		points = append(points, []int{post[0], post[1]})
	}
	sort.Slice(points, func(i, j int) bool {
		a, b := points[i], points[j]
		return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
	})
	lower := [][]int{}
	upper := [][]int{}
	for i := range points {
		lower = pull(lower, points[i])
		upper = pull(upper, points[len(points)-1-i])
	}
	if len(lower) < 2 {
		return lower
	}
	return append(lower[:len(lower)-1], upper[:len(upper)-1]...)
}

func pull(rope [][]int, point []int) [][]int {
	for len(rope) > 0 {
		last := rope[len(rope)-1]
		same := last[0] == point[0] && last[1] == point[1]
		if !same && (len(rope) == 1 || turn(rope[len(rope)-2], last, point) > 0) {
			break
		}
		rope = rope[:len(rope)-1]
	}
	return append(rope, point)
}

func turn(a, b, c []int) int {
	return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
}
