package solution

func ClassifyKeyingSlip(meant, typed string) string {
	if meant == typed {
		return "same"
	}
	start := 0
	for start < len(meant) && start < len(typed) && meant[start] == typed[start] {
		start++
	}
	switch len(typed) - len(meant) {
	case 0:
		if meant[start+1:] == typed[start+1:] {
			return "change"
		}
		crossed := meant[start] == typed[start+1] && meant[start+1] == typed[start]
		if crossed && meant[start+2:] == typed[start+2:] {
			return "swap"
		}
	case -1:
		if meant[start+1:] == typed[start:] {
			return "drop"
		}
	case 1:
		if start > 0 && meant[start-1:] == typed[start:] {
			return "double"
		}
	}
	return "other"
}
