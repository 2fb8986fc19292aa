package solution

func isBalanced(code int) bool {
	surplus := 0
	for ; code > 0; code /= 10 {
		digit := code % 10
		if digit%2 == 0 {
			surplus += digit
		} else {
			surplus -= digit
		}
	}
	return surplus == 0
}

func BalancedLockerCodes(low, high int) int {
	balanced := 0
	for code := low; code <= high; code++ {
		if isBalanced(code) {
			balanced++
		}
	}
	return balanced
}
