package solution

import "sort"

type watchPlan struct {
	nights, maxWatches, rest int
	keepers                  []string
	absent                   map[string]map[int]bool
	roster                   []string
}

func (p *watchPlan) mayWatch(keeper string) bool {
	night := len(p.roster)
	if p.absent[keeper][night] {
		return false
	}
	watches := 0
	for earlier, name := range p.roster {
		if name != keeper {
			continue
		}
		watches++
		if night-earlier <= p.rest {
			return false
		}
	}
	return watches < p.maxWatches
}

func (p *watchPlan) fill() bool {
	if len(p.roster) == p.nights {
		return true
	}
	for _, keeper := range p.keepers {
		if !p.mayWatch(keeper) {
			continue
		}
		p.roster = append(p.roster, keeper)
		if p.fill() {
			return true
		}
		p.roster = p.roster[:len(p.roster)-1]
	}
	return false
}

func LighthouseWatchRoster(nights int, absences map[string][]int, maxWatches, rest int) []string {
	plan := &watchPlan{
		nights:     nights,
		maxWatches: maxWatches,
		rest:       rest,
		absent:     map[string]map[int]bool{},
		roster:     []string{},
	}
	for keeper, away := range absences {
		plan.keepers = append(plan.keepers, keeper)
		plan.absent[keeper] = map[int]bool{}
		for _, night := range away {
			plan.absent[keeper][night] = true
		}
	}
	sort.Strings(plan.keepers)
	plan.fill()
	return plan.roster
}
