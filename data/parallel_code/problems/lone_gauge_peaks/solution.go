package solution

func LoneGaugePeaks(levels []int, reach int) []int {
	peaks := []int{}
gauges:
	for i, level := range levels {
		for j := i - reach; j <= i+reach; j++ {
			if j < 0 || j >= len(levels) || j == i {
				continue
			}
			if levels[j] >= level {
				continue gauges
			}
		}
		peaks = append(peaks, i)
	}
	return peaks
}
