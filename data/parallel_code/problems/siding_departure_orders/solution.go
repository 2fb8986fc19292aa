package solution

import "sort"

func SidingDepartureOrders(wagons string, capacity int) []string {
	orders := []string{}
	var explore func(waiting, siding, departed string)
	explore = func(waiting, siding, departed string) {
		if len(departed) == len(wagons) {
			orders = append(orders, departed)
			return
		}
		if waiting != "" && len(siding) < capacity {
			explore(waiting[1:], siding+waiting[:1], departed)
		}
		if top := len(siding) - 1; top >= 0 {
			explore(waiting, siding[:top], departed+siding[top:])
		}
	}
	explore(wagons, "", "")
	sort.Strings(orders)
	return orders
}
