package solution

import (
	"strings"
	"unicode"
)

func CarouselVowels(text string, steps int) string {
	isVowel := func(c rune) bool { return strings.ContainsRune("aeiouAEIOU", c) }
	var vowels []rune
	for _, c := range text {
		if isVowel(c) {
			vowels = append(vowels, c)
		}
	}

	count, next := len(vowels), 0
	return strings.Map(func(c rune) rune {
		if !isVowel(c) {
			return c
		}
		vowel := vowels[((next-steps)%count+count)%count]
		next++
		if unicode.IsUpper(c) {
			return unicode.ToUpper(vowel)
		}
		return unicode.ToLower(vowel)
	}, text)
}
