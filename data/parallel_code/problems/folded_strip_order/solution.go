package solution

func fold(piles [][]int, folds string) []int {
	if folds == "" {
		return piles[0]
	}
	half := len(piles) / 2
	over, under := piles[half:], piles[:half]
	if folds[0] == 'L' {
		over, under = under, over
	}
	folded := make([][]int, half)
	for i := range folded {
		turned := over[half-1-i]
		for k := len(turned) - 1; k >= 0; k-- {
			folded[i] = append(folded[i], turned[k])
		}
		folded[i] = append(folded[i], under[i]...)
	}
	return fold(folded, folds[1:])
}

func FoldedStripOrder(panels int, folds string) []int {
	piles := make([][]int, panels)
	for i := range piles {
		piles[i] = []int{i + 1}
	}
	return fold(piles, folds)
}
