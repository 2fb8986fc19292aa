package solution

import (
	"fmt"
	"sort"
)

type pigeon struct {
	kind, loft     string
	faults, strays int
}

func PigeonRingAudit(rings []string, kinds []string, lofts []string) []string {
	pigeons := map[string]*pigeon{}
	var seen []string
	for i, ring := range rings {
		p, known := pigeons[ring]
		if !known {
			p = &pigeon{}
			pigeons[ring] = p
			seen = append(seen, ring)
		}
		if p.kind == kinds[i] {
			p.faults++
			continue
		}
		if p.kind == "out" && p.loft != lofts[i] {
			p.strays++
		}
		p.kind, p.loft = kinds[i], lofts[i]
	}

	sort.Strings(seen)
	lines := []string{}
	for _, ring := range seen {
		p := pigeons[ring]
		place := "home"
		if p.kind == "out" {
			place = "away"
		}
		if place == "away" || p.faults+p.strays > 0 {
			line := fmt.Sprintf("%s: %d faults, %d strays, %s", ring, p.faults, p.strays, place)
			lines = append(lines, line)
		}
	}
	return lines
}
