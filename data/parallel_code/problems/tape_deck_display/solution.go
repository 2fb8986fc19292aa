package solution

import "fmt"

func TapeDeckDisplay(commands []string, length int) []string {
	mode, resume, position := "STOP", "STOP", 0
	displays := make([]string, len(commands))
	for i, command := range commands {
		var name string
		var seconds int
		fmt.Sscan(command, &name, &seconds)
		running := mode == "PLAY" || mode == "REC"

		switch {
		case name == "stop":
			mode = "STOP"
		case name == "pause" && running:
			mode, resume = "PAUSE", mode
		case name == "pause" && mode == "PAUSE":
			mode = resume
		case name == "play" && !running && position < length:
			mode = "PLAY"
		case name == "record" && mode == "STOP" && position < length:
			mode = "REC"
		case name == "rewind" && mode == "STOP":
			position = 0
		case name == "wait" && running:
			position += seconds
			if position >= length {
				mode, position = "STOP", length
			}
		}
		displays[i] = fmt.Sprintf("%s %04d", mode, position)
	}
	return displays
}
