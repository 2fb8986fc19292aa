package solution

type gateMove struct {
	state, move string
}

var gateTable = map[gateMove]string{
	{"shut", "latch"}:      "latched",
	{"shut", "push"}:       "open out",
	{"shut", "pull"}:       "open in",
	{"latched", "unlatch"}: "shut",
	{"open in", "push"}:    "shut",
	{"open out", "pull"}:   "shut",
}

func BarnGateStates(moves []string) []string {
	states := make([]string, len(moves))
	state := "shut"
	for i, move := range moves {
		if next, ok := gateTable[gateMove{state, move}]; ok {
			state = next
		}
		states[i] = state
	}
	return states
}
