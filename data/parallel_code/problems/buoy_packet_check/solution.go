package solution

func BuoyPacketCheck(payload []int, key int) int {
	register := uint8(90)
	for _, value := range payload {
		register ^= uint8(value)
		for bit := 0; bit < 8; bit++ {
			carry := register >> 7
			register = register<<1 ^ carry*uint8(key)
		}
	}
	return int(register)
}
