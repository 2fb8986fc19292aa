package solution

func TankMixTemperature(jugs [][]float64) float64 {
	var litres, heat float64
	for _, jug := range jugs {
		litres += jug[0]
		heat += jug[0] * jug[1]
	}
	if litres == 0 {
		return 0
	}
	return heat / litres
}
