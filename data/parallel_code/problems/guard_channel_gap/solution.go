package solution

func primesUpTo(limit int) []int {
	primes := []int{}
	composite := make([]bool, limit+1)
	for n := 2; n <= limit; n++ {
		if composite[n] {
			continue
		}
		primes = append(primes, n)
		for multiple := n * n; multiple <= limit; multiple += n {
			composite[multiple] = true
		}
	}
	return primes
}

func hasDivisor(n int, primes []int) bool {
	for _, prime := range primes {
		if prime*prime > n {
			return false
		}
		if n%prime == 0 {
			return true
		}
	}
	return false
}

func GuardChannelGap(low, high int) []int {
	root := 1
	for root*root < high {
		root++
	}
	primes := primesUpTo(root)
	widest := []int{}
	widestGap, previous := 0, 0
	for channel := low; channel <= high; channel++ {
		if channel < 2 || hasDivisor(channel, primes) {
			continue
		}
		if gap := channel - previous; previous > 0 && gap > widestGap {
			widestGap = gap
			widest = []int{previous, channel}
		}
		previous = channel
	}
	return widest
}
