package solution

import "sort"

func VolunteerSkillIndex(roster map[string][]string) map[string][]string {
	index := map[string][]string{}
	for volunteer, skills := range roster {
		noted := map[string]bool{}
		for _, skill := range skills {
			if noted[skill] {
				continue
			}
			noted[skill] = true
			index[skill] = append(index[skill], volunteer)
		}
	}
	for _, volunteers := range index {
		sort.Strings(volunteers)
	}
	return index
}
