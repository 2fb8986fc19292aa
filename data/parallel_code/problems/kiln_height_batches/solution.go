package solution

func KilnHeightBatches(heights []int, slack int, room int) [][]int {
	batches := [][]int{}
	start, shortest, tallest := 0, 0, 0
	for i, height := range heights {
		if i == 0 {
			shortest, tallest = height, height
			continue
		}
		low, high := shortest, tallest
		if height < low {
			low = height
		}
		if height > high {
			high = height
		}
		if i-start == room || high-low > slack {
			batches = append(batches, heights[start:i])
			start, low, high = i, height, height
		}
		shortest, tallest = low, high
	}
	if len(heights) > 0 {
		batches = append(batches, heights[start:])
	}
	return batches
}
