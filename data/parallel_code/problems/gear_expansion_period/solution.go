package solution

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func GearExpansionPeriod(teeth, base int) []int {
	lead := 0
	for shared := gcd(teeth, base); shared > 1; shared = gcd(teeth, base) {
		teeth /= shared
		lead++
	}
	if teeth == 1 {
		return []int{lead, 0}
	}
	period := 1
	for power := base % teeth; power != 1; power = power * base % teeth {
		period++
	}
	return []int{lead, period}
}
