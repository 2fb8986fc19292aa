package solution

import "strings"

const vowels = "aeiouAEIOU"

func ChoirEchoWords(line string) string {
	words := strings.Split(line, " ")
	for i, word := range words {
		last := strings.LastIndexAny(word, vowels)
		if last < 0 {
			continue
		}
		start := len(strings.TrimRight(word[:last+1], vowels))
		words[i] = word + "(" + strings.ToLower(word[start:]) + ")"
	}
	return strings.Join(words, " ")
}
