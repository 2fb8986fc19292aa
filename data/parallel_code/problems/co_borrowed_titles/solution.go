package solution

import "sort"

func CoBorrowedTitles(loans [][]string) [][]string {
	together := map[[2]string]int{}
	most := 2
	for _, loan := range loans {
		titles := distinctSorted(loan)
		for i, first := range titles {
			for _, second := range titles[i+1:] {
				pair := [2]string{first, second}
				together[pair]++
				if together[pair] > most {
					most = together[pair]
				}
			}
		}
	}

	pairs := [][]string{}
	for pair, count := range together {
		if count == most {
			pairs = append(pairs, []string{pair[0], pair[1]})
		}
	}
	sort.Slice(pairs, func(i, j int) bool {
		if pairs[i][0] != pairs[j][0] {
			return pairs[i][0] < pairs[j][0]
		}
		return pairs[i][1] < pairs[j][1]
	})
	return pairs
}

func distinctSorted(loan []string) []string {
	ordered := append([]string{}, loan...)
	sort.Strings(ordered)
	distinct := ordered[:0]
	for i, title := range ordered {
		if i == 0 || title != ordered[i-1] {
			distinct = append(distinct, title)
		}
	}
	return distinct
}
