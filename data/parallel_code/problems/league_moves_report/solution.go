package solution

import "sort"

func LeagueMovesReport(before []string, after []string) map[string][]string {
	former := make(map[string]int, len(before))
	for place, player := range before {
		former[player] = place
	}

	up, down, same, entered, gone := []string{}, []string{}, []string{}, []string{}, []string{}
	gains := map[string]int{}
	for place, player := range after {
		old, known := former[player]
		if !known {
			entered = append(entered, player)
			continue
		}
		gains[player] = old - place
		switch {
		case old > place:
			up = append(up, player)
		case old < place:
			down = append(down, player)
		default:
			same = append(same, player)
		}
	}
	for _, player := range before {
		if _, stayed := gains[player]; !stayed {
			gone = append(gone, player)
		}
	}

	sort.SliceStable(up, func(i, j int) bool { return gains[up[i]] > gains[up[j]] })
	sort.SliceStable(down, func(i, j int) bool { return gains[down[i]] < gains[down[j]] })
	return map[string][]string{"up": up, "down": down, "same": same, "new": entered, "gone": gone}
}
