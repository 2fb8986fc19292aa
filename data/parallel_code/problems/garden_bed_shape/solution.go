package solution

type side struct{ x, y int }

func (s side) dot(t side) int { return s.x*t.x + s.y*t.y }

func (s side) parallel(t side) bool { return s.x*t.y == s.y*t.x }

func GardenBedShape(corners [][]int) string {
	var sides [4]side
	for i, corner := range corners {
		next := corners[(i+1)%4]
		sides[i] = side{next[0] - corner[0], next[1] - corner[1]}
	}
	a, b := sides[0], sides[1]
	along, across := a.parallel(sides[2]), b.parallel(sides[3])
	upright, even := a.dot(b) == 0, a.dot(a) == b.dot(b)
	switch {
	case !along && !across:
		return "irregular"
	case !along || !across:
		return "trapezium"
	case upright && even:
		return "square"
	case upright:
		return "rectangle"
	case even:
		return "rhombus"
	default:
		return "parallelogram"
	}
}
