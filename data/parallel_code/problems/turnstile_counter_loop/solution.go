package solution

func reverseDigits(n int) int {
	reversed := 0
	for ; n > 0; n /= 10 {
		reversed = 10*reversed + n%10
	}
	return reversed
}

func TurnstileCounterLoop(start, multiplier, modulus int) []int {
	firstShown := map[int]int{}
	for shown := start; ; shown = (multiplier*shown + reverseDigits(shown)) % modulus {
		if tail, seen := firstShown[shown]; seen {
			return []int{tail, len(firstShown) - tail}
		}
		firstShown[shown] = len(firstShown)
	}
}
