package solution

func KilnEnergyBill(units int, bands [][]int, standing int) int {
	bill, left, price := standing, units, 0
	for _, band := range bands {
		used := band[0]
		if used > left {
			used = left
		}
		price = band[1]
		bill += used * price
		left -= used
	}
	return bill + left*price
}
