package solution

func RivalClubCoaches(clubs int, rivals [][]int) string {
	foes := make([][]int, clubs)
	for _, pair := range rivals {
		a, b := pair[0], pair[1]
		foes[a] = append(foes[a], b)
		foes[b] = append(foes[b], a)
	}
	coach := make([]byte, clubs)
	var seat func(club int, letter byte) bool
	seat = func(club int, letter byte) bool {
		if coach[club] != 0 {
			return coach[club] == letter
		}
		coach[club] = letter
		for _, foe := range foes[club] {
			if !seat(foe, 'A'+'B'-letter) {
				return false
			}
		}
		return true
	}
	for club := range coach {
		if coach[club] == 0 && !seat(club, 'A') {
			return ""
		}
	}
	return string(coach)
}
