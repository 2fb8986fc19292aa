package solution

type booking struct {
	start, end int
}

func HallBookingDesk(requests [][]int, halls int, cleaning int) []int {
	booked := make([][]booking, halls)
	assigned := make([]int, len(requests))
	for i, request := range requests {
		wish := booking{request[0], request[1]}
		assigned[i] = -1
		if wish.end <= wish.start {
			continue
		}
		for hall := range booked {
			if fits(wish, booked[hall], cleaning) {
				booked[hall] = append(booked[hall], wish)
				assigned[i] = hall
				break
			}
		}
	}
	return assigned
}

func fits(wish booking, bookings []booking, cleaning int) bool {
	for _, b := range bookings {
		if wish.start < b.end+cleaning && b.start < wish.end+cleaning {
			return false
		}
	}
	return true
}
