package solution

func SmudgedLabelDigits(label string, weights []int, modulus int) []int {
	known, smudgeWeight := 0, 0
	for i, c := range label {
		if c == '?' {
			smudgeWeight = weights[i]
		} else {
			known += int(c-'0') * weights[i]
		}
	}
	digits := []int{}
	for digit := 0; digit < 10; digit++ {
		if (known+digit*smudgeWeight)%modulus == 0 {
			digits = append(digits, digit)
		}
	}
	return digits
}
