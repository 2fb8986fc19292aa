package solution

import "fmt"

func NightShiftMinutes(start string, end string) int {
	length := minuteOfDay(end) - minuteOfDay(start)
	if length <= 0 {
		length += 24 * 60
	}
	return length
}

func minuteOfDay(clock string) int {
	var hours, minutes int
	fmt.Sscanf(clock, "%d:%d", &hours, &minutes)
	return hours*60 + minutes
}
