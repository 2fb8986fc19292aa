package solution

func SavingsJarMonths(start, deposit, rateBp, goal int) int {
	balance := start
	for month := 0; month <= 1200; month++ {
		if balance >= goal {
			return month
		}
		balance += balance*rateBp/120_000 + deposit
	}
	return -1
}
