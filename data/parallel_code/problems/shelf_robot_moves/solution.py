def shelf_robot_moves(shelf: list[int], moves: list[list[int]]) -> list[int]:
    boxes = list(shelf)
    for kind, a, b in moves:
        size = len(boxes)
        match kind:
            case 0 if 0 <= a <= size:
                boxes.insert(a, b)
            case 1 if 0 <= a < size:
                del boxes[a]
            case 2 if 0 <= a < size and 0 <= b < size:
                boxes.insert(b, boxes.pop(a))
            case 3 if 0 <= a <= b < size:
                boxes[a : b + 1] = reversed(boxes[a : b + 1])
            case 4 if size and a >= 0:
                cut = size - a % size
                boxes = boxes[cut:] + boxes[:cut]
    return boxes
