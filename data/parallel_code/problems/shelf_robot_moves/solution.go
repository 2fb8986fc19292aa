package solution

func ShelfRobotMoves(shelf []int, moves [][]int) []int {
	boxes := append([]int{}, shelf...)
	for _, move := range moves {
		boxes = applyMove(boxes, move[0], move[1], move[2])
	}
	return boxes
}

func applyMove(boxes []int, kind, a, b int) []int {
	n := len(boxes)
	aExists := a >= 0 && a < n
	bExists := b >= 0 && b < n
	switch {
	case kind == 0 && (aExists || a == n):
		return insertAt(boxes, a, b)
	case kind == 1 && aExists:
		return append(boxes[:a], boxes[a+1:]...)
	case kind == 2 && aExists && bExists:
		box := boxes[a]
		return insertAt(append(boxes[:a], boxes[a+1:]...), b, box)
	case kind == 3 && aExists && bExists:
		for i, j := a, b; i < j; i, j = i+1, j-1 {
			boxes[i], boxes[j] = boxes[j], boxes[i]
		}
	case kind == 4 && a >= 0 && n > 0:
		cut := n - a%n
		turned := append([]int{}, boxes[cut:]...)
		return append(turned, boxes[:cut]...)
	}
	return boxes
}

func insertAt(boxes []int, place, box int) []int {
	boxes = append(boxes, 0)
	copy(boxes[place+1:], boxes[place:])
	boxes[place] = box
	return boxes
}
