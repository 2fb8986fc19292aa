package solution

func gcd(a, b int64) int64 {
	if b == 0 {
		return a
	}
	return gcd(b, a%b)
}

func CarouselSwapRounds(moves []int) int64 {
	rounds := int64(1)
	for start, seat := range moves {
		length := int64(1)
		for seat != start {
			seat = moves[seat]
			length++
		}
		rounds = rounds / gcd(rounds, length) * length
	}
	return rounds
}
