package solution

func StreamConfluenceRanks(downstream []int) []int {
	ranks := make([]int, len(downstream))
	highest := make([]int, len(downstream))
	for stream, into := range downstream {
		if ranks[stream] == 0 {
			ranks[stream] = 1
		}
		if into < 0 {
			continue
		}
		switch rank := ranks[stream]; {
		case rank == highest[into]:
			ranks[into] = rank + 1
		case rank > highest[into]:
			highest[into] = rank
			if rank > ranks[into] {
				ranks[into] = rank
			}
		}
	}
	return ranks
}
