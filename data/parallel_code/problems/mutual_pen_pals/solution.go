package solution

func MutualPenPals(letters [][]int) int {
	type letter struct{ sender, receiver int }
	sent := map[letter]bool{}
	for _, pair := range letters {
		sent[letter{pair[0], pair[1]}] = true
	}
	pairs := 0
	for l := range sent {
		if l.sender < l.receiver && sent[letter{l.receiver, l.sender}] {
			pairs++
		}
	}
	return pairs
}
