package solution

func BraceletSignature(beads string) string {
	backwards := make([]byte, len(beads))
	for i := range backwards {
		backwards[i] = beads[len(beads)-1-i]
	}
	best := beads
	for _, way := range []string{beads, string(backwards)} {
		for i := range way {
			if turned := way[i:] + way[:i]; turned < best {
				best = turned
			}
		}
	}
	return best
}
