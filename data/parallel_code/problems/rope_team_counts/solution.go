package solution

func RopeTeamCounts(climbers int, ties [][]int) []int {
	teams := map[int][]int{}
	teamOf := make([]int, climbers)
	for climber := range teamOf {
		teams[climber] = []int{climber}
		teamOf[climber] = climber
	}
	counts := make([]int, len(ties))
	for i, tie := range ties {
		kept, joined := teamOf[tie[0]], teamOf[tie[1]]
		if kept != joined {
			for _, climber := range teams[joined] {
				teamOf[climber] = kept
			}
			teams[kept] = append(teams[kept], teams[joined]...)
			delete(teams, joined)
		}
		counts[i] = len(teams)
	}
	return counts
}
