package solution

type spot struct{ x, y int }

func MowerLawnCoverage(width int, height int, commands string) []int {
	at, heading := spot{}, spot{0, 1}
	mown := map[spot]bool{at: true}
	bumps := 0
	for _, command := range commands {
		switch command {
		case 'L':
			heading = spot{-heading.y, heading.x}
		case 'R':
			heading = spot{heading.y, -heading.x}
		case 'F':
			next := spot{at.x + heading.x, at.y + heading.y}
			if next.x < 0 || next.x >= width || next.y < 0 || next.y >= height {
				bumps++
				heading = spot{heading.y, -heading.x}
				continue
			}
			at = next
			mown[at] = true
		}
	}
	return []int{len(mown), bumps}
}
