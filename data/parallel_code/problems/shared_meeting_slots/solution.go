package solution

import "sort"

func SharedMeetingSlots(calendars [][][]int, opening int, closing int, minimum int) [][]int {
	var busy [][]int
	for _, calendar := range calendars {
		busy = append(busy, calendar...)
	}
	sort.Slice(busy, func(i, j int) bool { return busy[i][0] < busy[j][0] })

	slots := [][]int{}
	freeFrom := opening
	for _, span := range busy {
		start, end := span[0], span[1]
		if start >= closing {
			break
		}
		if start-freeFrom >= minimum {
			slots = append(slots, []int{freeFrom, start})
		}
		if end > freeFrom {
			freeFrom = end
		}
	}
	if closing-freeFrom >= minimum {
		slots = append(slots, []int{freeFrom, closing})
	}
	return slots
}
