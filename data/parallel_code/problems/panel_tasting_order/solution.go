package solution

import "sort"

type cheeseScore struct {
	name           string
	points, firsts int
}

func PanelTastingOrder(rankings [][]string) []string {
	byName := map[string]*cheeseScore{}
	var scores []*cheeseScore
	for _, ranking := range rankings {
		for place, name := range ranking {
			score, seen := byName[name]
			if !seen {
				score = &cheeseScore{name: name}
				byName[name] = score
				scores = append(scores, score)
			}
			score.points += len(ranking) - place
			if place == 0 {
				score.firsts++
			}
		}
	}

	sort.Slice(scores, func(i, j int) bool {
		a, b := scores[i], scores[j]
		if a.points != b.points {
			return a.points > b.points
		}
		if a.firsts != b.firsts {
			return a.firsts > b.firsts
		}
		return a.name < b.name
	})

	order := make([]string, len(scores))
	for i, score := range scores {
		order[i] = score.name
	}
	return order
}
