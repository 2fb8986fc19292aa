package solution

type state struct {
	kind, missing int
}

type filling struct {
	possible bool
	packets  int
	counts   []int
}

func SeedPacketCounts(order int, packets [][]int) []int {
	memo := map[state]filling{}
	var fill func(s state) filling
	fill = func(s state) filling {
		if s.kind == len(packets) {
			return filling{possible: s.missing == 0}
		}
		if known, ok := memo[s]; ok {
			return known
		}
		best := filling{}
		size, stock := packets[s.kind][0], packets[s.kind][1]
		for count := 0; count <= stock && count*size <= s.missing; count++ {
			rest := fill(state{s.kind + 1, s.missing - count*size})
			if !rest.possible {
				continue
			}
			if total := count + rest.packets; !best.possible || total <= best.packets {
				best = filling{true, total, append([]int{count}, rest.counts...)}
			}
		}
		memo[s] = best
		return best
	}
	return append([]int{}, fill(state{0, order}).counts...)
}
