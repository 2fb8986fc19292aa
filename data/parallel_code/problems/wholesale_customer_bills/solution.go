package solution

type orderKey struct {
	customer, good string
}

func WholesaleCustomerBills(customers []string, goods []string, units []int, prices map[string]int) map[string]int64 {
	ordered := map[orderKey]int{}
	for i, customer := range customers {
		ordered[orderKey{customer, goods[i]}] += units[i]
	}
	bills := map[string]int64{}
	for key, count := range ordered {
		charged := int64(count - count/12)
		bills[key.customer] += charged * int64(prices[key.good])
	}
	return bills
}
