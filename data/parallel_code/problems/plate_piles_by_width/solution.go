package solution

import "sort"

func PlatePilesByWidth(plates []int) [][]int {
	piles := [][]int{}
	for _, plate := range plates {
		target := sort.Search(len(piles), func(i int) bool {
			pile := piles[i]
			return pile[len(pile)-1] >= plate
		})
		if target == len(piles) {
			piles = append(piles, nil)
		}
		piles[target] = append(piles[target], plate)
	}
	return piles
}
