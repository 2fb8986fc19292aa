package solution

func JamShoppingList(recipe map[string]int, batches int, pantry map[string]int) map[string]int {
	shopping := map[string]int{}
	for item, amount := range recipe {
		if missing := amount*batches - pantry[item]; missing > 0 {
			shopping[item] = missing
		}
	}
	return shopping
}
