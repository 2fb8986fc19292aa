package solution

import "sort"

func FeudFreeSeatings(guests []string, feuds [][]string) [][]string {
	names := append([]string{}, guests...)
	sort.Strings(names)
	hostile := map[[2]string]bool{}
	for _, feud := range feuds {
		hostile[[2]string{feud[0], feud[1]}] = true
		hostile[[2]string{feud[1], feud[0]}] = true
	}
	seatings := [][]string{}
	bench := []string{}
	seated := make([]bool, len(names))
	var extend func()
	extend = func() {
		if len(bench) == len(names) {
			seatings = append(seatings, append([]string{}, bench...))
			return
		}
		for i, name := range names {
			if seated[i] || len(bench) > 0 && hostile[[2]string{bench[len(bench)-1], name}] {
				continue
			}
			seated[i] = true
			bench = append(bench, name)
			extend()
			bench = bench[:len(bench)-1]
			seated[i] = false
		}
	}
	extend()
	return seatings
}
