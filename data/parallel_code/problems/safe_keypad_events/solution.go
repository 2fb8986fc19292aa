package solution

func SafeKeypadEvents(code string, keys string, penalty int) []string {
	events := []string{}
	typed, open := "", false
	tries, ignored := 0, 0
	for _, key := range keys {
		switch {
		case ignored > 0:
			ignored--
		case open:
			if key == 'C' {
				open = false
				events = append(events, "shut")
			}
		case key == 'C':
			typed = ""
		case key != '#':
			typed += string(key)
		case typed == code:
			typed, tries, open = "", 0, true
			events = append(events, "open")
		case tries < 2:
			typed = ""
			tries++
			events = append(events, "wrong")
		default:
			typed, tries, ignored = "", 0, penalty
			events = append(events, "alarm")
		}
	}
	return events
}
