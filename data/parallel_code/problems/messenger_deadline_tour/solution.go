package solution

type stop struct {
	visited, place int
}

type tour struct {
	minute int
	places []int
}

func (t tour) before(other tour) bool {
	if t.minute != other.minute {
		return t.minute < other.minute
	}
	for i, place := range t.places {
		if place != other.places[i] {
			return place < other.places[i]
		}
	}
	return false
}

func extend(tours map[stop]tour, minutes [][]int, deadlines []int) map[stop]tour {
	longer := map[stop]tour{}
	for at, t := range tours {
		for place, deadline := range deadlines {
			arrival := t.minute + minutes[at.place][place]
			if at.visited&(1<<place) != 0 || arrival > deadline {
				continue
			}
			next := stop{at.visited | 1<<place, place}
			places := append(append([]int{}, t.places...), place)
			candidate := tour{arrival, places}
			if rival, ok := longer[next]; !ok || candidate.before(rival) {
				longer[next] = candidate
			}
		}
	}
	return longer
}

func MessengerDeadlineTour(minutes [][]int, deadlines []int) []int {
	tours := map[stop]tour{{visited: 1}: {places: []int{}}}
	for {
		longer := extend(tours, minutes, deadlines)
		if len(longer) == 0 {
			break
		}
		tours = longer
	}
	var best *tour
	for _, t := range tours {
		if current := t; best == nil || current.before(*best) {
			best = &current
		}
	}
	return best.places
}
