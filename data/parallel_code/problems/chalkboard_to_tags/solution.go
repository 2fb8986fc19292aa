package solution

import "strings"

func ChalkboardToTags(text string) string {
	tags := map[byte]string{'*': "b", '_': "u", '~': "s"}
	var output strings.Builder
	var open []string
	closeDownTo := func(depth int) {
		for len(open) > depth {
			output.WriteString("</" + open[len(open)-1] + ">")
			open = open[:len(open)-1]
		}
	}
	depthOf := func(tag string) int {
		for depth, name := range open {
			if name == tag {
				return depth
			}
		}
		return -1
	}

	for i := 0; i < len(text); i++ {
		tag, isMark := tags[text[i]]
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			output.WriteByte(text[i])
		case !isMark:
			output.WriteByte(text[i])
		case depthOf(tag) >= 0:
			closeDownTo(depthOf(tag))
		default:
			open = append(open, tag)
			output.WriteString("<" + tag + ">")
		}
	}
	closeDownTo(0)
	return output.String()
}
