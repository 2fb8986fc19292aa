package solution

import "strings"

func WindowSignReadsBothWays(sign string) bool {
	for i, j := 0, len(sign)-1; i <= j; i, j = i+1, j-1 {
		if sign[i] != sign[j] || !strings.ContainsRune("AHIMOTUVWXY ", rune(sign[i])) {
			return false
		}
	}
	return true
}
