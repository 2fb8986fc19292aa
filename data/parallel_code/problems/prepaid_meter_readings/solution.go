package solution

import "fmt"

func PrepaidMeterReadings(operations []string) []int {
	balance, floor, rate := 0, 0, 30
	readings := make([]int, len(operations))
	for i, operation := range operations {
		var name string
		var amount int
		fmt.Sscan(operation, &name, &amount)

		switch name {
		case "day":
			rate = 30
		case "night":
			rate = 18
		case "lend":
			if balance < 200 {
				floor = -500
			}
		case "pay":
			balance += amount
			if balance >= 0 {
				floor = 0
			}
		case "use":
			if affordable := (balance - floor) / rate; amount > affordable {
				amount = affordable
			}
			balance -= rate * amount
		}
		readings[i] = balance
	}
	return readings
}
