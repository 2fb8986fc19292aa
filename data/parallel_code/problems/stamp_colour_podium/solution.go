package solution

import "sort"

func StampColourPodium(colours []string, places int) []string {
	counts := map[string]int{}
	for _, colour := range colours {
		counts[colour]++
	}
	podium := make([]string, 0, len(counts))
	for colour := range counts {
		podium = append(podium, colour)
	}
	sort.Slice(podium, func(i, j int) bool {
		a, b := podium[i], podium[j]
		if counts[a] != counts[b] {
			return counts[a] > counts[b]
		}
		return a < b
	})
	if len(podium) > places {
		podium = podium[:places]
	}
	return podium
}
