package solution

const (
	perTablespoon = 3
	perCup        = 16 * perTablespoon
)

func SoupKitchenMeasures(cups, tablespoons, teaspoons, serves, wanted int) []int {
	amount := cups*perCup + tablespoons*perTablespoon + teaspoons
	scaled := (2*amount*wanted + serves) / (2 * serves)
	return []int{scaled / perCup, scaled % perCup / perTablespoon, scaled % perTablespoon}
}
