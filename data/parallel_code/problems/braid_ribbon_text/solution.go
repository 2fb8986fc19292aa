package solution

func BraidRibbonText(strands []string) string {
	var ribbon []byte
	for i, woven := 0, true; woven; i++ {
		woven = false
		for _, strand := range strands {
			if i < len(strand) {
				ribbon = append(ribbon, strand[i])
				woven = true
			}
		}
	}
	return string(ribbon)
}
