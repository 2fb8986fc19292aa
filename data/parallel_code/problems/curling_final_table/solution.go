package solution

import "sort"

type curlingTeam struct {
	name                   string
	points, margin, mutual int
}

func CurlingFinalTable(homes []string, aways []string, scores [][]int) []string {
	teams := map[string]*curlingTeam{}
	table := []*curlingTeam{}
	find := func(name string) *curlingTeam {
		team, ok := teams[name]
		if !ok {
			team = &curlingTeam{name: name}
			teams[name] = team
			table = append(table, team)
		}
		return team
	}

	for i, score := range scores {
		home, away := find(homes[i]), find(aways[i])
		margin := score[0] - score[1]
		home.margin += margin
		away.margin -= margin
		homePoints, awayPoints := matchPoints(margin)
		home.points += homePoints
		away.points += awayPoints
	}
	for i, score := range scores {
		home, away := find(homes[i]), find(aways[i])
		if home.points == away.points && home.margin == away.margin {
			homePoints, awayPoints := matchPoints(score[0] - score[1])
			home.mutual += homePoints
			away.mutual += awayPoints
		}
	}

	sort.Slice(table, func(i, j int) bool {
		a, b := table[i], table[j]
		switch {
		case a.points != b.points:
			return a.points > b.points
		case a.margin != b.margin:
			return a.margin > b.margin
		case a.mutual != b.mutual:
			return a.mutual > b.mutual
		}
		return a.name < b.name
	})
	names := make([]string, len(table))
	for i, team := range table {
		names[i] = team.name
	}
	return names
}

func matchPoints(margin int) (home, away int) {
	switch {
	case margin > 0:
		return 3, 0
	case margin < 0:
		return 0, 3
	}
	return 1, 1
}
