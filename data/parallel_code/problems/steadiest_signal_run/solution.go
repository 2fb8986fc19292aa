package solution

func SteadiestSignalRun(word int, width int) int {
	longest, run := 1, 1
	changes := word ^ word>>1
	for i := 0; i < width-1; i++ {
		if changes>>i&1 == 1 {
			run = 0
		}
		run++
		if run > longest {
			longest = run
		}
	}
	return longest
}
