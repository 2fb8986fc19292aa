package solution

func ButtonPressGestures(samples string, hold int, gap int) []string {
	gestures := []string{}
	pressed, released := 0, 0

	finish := func() {
		last := len(gestures) - 1
		switch {
		case pressed == 0:
			return
		case pressed >= hold:
			gestures = append(gestures, "hold")
		case last >= 0 && gestures[last] == "tap" && released <= gap:
			gestures[last] = "double"
		default:
			gestures = append(gestures, "tap")
		}
		pressed, released = 0, 0
	}

	for _, level := range samples {
		if level == '1' {
			pressed++
			continue
		}
		finish()
		released++
	}
	finish()
	return gestures
}
