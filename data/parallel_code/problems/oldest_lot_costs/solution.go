package solution

type lot struct {
	units, price int
}

type stock struct {
	lots          []lot
	sold, refused int
}

func (s *stock) sell(wanted int) {
	for wanted > 0 && len(s.lots) > 0 {
		oldest := &s.lots[0]
		taken := wanted
		if oldest.units < taken {
			taken = oldest.units
		}
		oldest.units -= taken
		wanted -= taken
		s.sold += taken * oldest.price
		if oldest.units == 0 {
			s.lots = s.lots[1:]
		}
	}
	s.refused += wanted
}

func OldestLotCosts(goods []string, units []int, prices []int) map[string][]int {
	cellar := map[string]*stock{}
	for i, good := range goods {
		if cellar[good] == nil {
			cellar[good] = &stock{}
		}
		if units[i] > 0 {
			cellar[good].lots = append(cellar[good].lots, lot{units[i], prices[i]})
		} else {
			cellar[good].sell(-units[i])
		}
	}

	costs := make(map[string][]int, len(cellar))
	for good, s := range cellar {
		left := 0
		for _, l := range s.lots {
			left += l.units * l.price
		}
		costs[good] = []int{s.sold, left, s.refused}
	}
	return costs
}
