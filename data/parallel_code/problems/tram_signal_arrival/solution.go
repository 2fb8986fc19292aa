package solution

func TramSignalArrival(distance int, signals [][]int) int {
	delay := 0
	for _, signal := range signals {
		position, green, red := signal[0], signal[1], signal[2]
		cycle := green + red
		if phase := (position + delay) % cycle; phase >= green {
			delay += cycle - phase
		}
	}
	return distance + delay
}
