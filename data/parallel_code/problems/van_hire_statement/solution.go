package solution

func atMost(value, limit int) int {
	if value > limit {
		return limit
	}
	return value
}

func VanHireStatement(minutes, kilometres, driverAge, missingEighths int) map[string]int {
	if minutes < 60 {
		minutes = 60
	}
	fullDays, hours := minutes/1440, (minutes%1440+59)/60
	startedDays := (minutes + 1439) / 1440
	time := 3200*(fullDays-fullDays/7) + atMost(450*hours, 3200)
	distance := 0
	if excess := kilometres - 150*startedDays; excess > 100 {
		distance = 2500 + 18*(excess-100)
	} else if excess > 0 {
		distance = 25 * excess
	}
	young := 0
	if driverAge < 25 {
		young = 900 * atMost(startedDays, 5)
	}
	fuel := 1323 * missingEighths
	total := time + distance + young + fuel
	return map[string]int{"time": time, "distance": distance, "young_driver": young, "fuel": fuel, "total": total}
}
