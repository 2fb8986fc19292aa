package solution

import (
	"fmt"
	"strings"
)

var coins = map[string]int{"5": 5, "10": 10, "20": 20, "50": 50, "100": 100}

func MuseumKioskLog(prices map[string]int, stock map[string]int, events []string) []string {
	left := make(map[string]int, len(stock))
	for souvenir, count := range stock {
		left[souvenir] = count
	}
	credit := 0
	log := make([]string, len(events))
	for i, event := range events {
		log[i] = "ignored"
		action, word, _ := strings.Cut(event, " ")
		switch {
		case event == "cancel":
			log[i] = fmt.Sprint("refund ", credit)
			credit = 0
		case word == "" || strings.Contains(word, " "):
		case action == "coin":
			value, ok := coins[word]
			if !ok {
				log[i] = "returned " + word
				break
			}
			credit += value
			log[i] = fmt.Sprint("credit ", credit)
		case action == "pick":
			price, known := prices[word]
			switch {
			case !known:
				log[i] = "unknown " + word
			case left[word] == 0:
				log[i] = word + " sold out"
			case credit < price:
				log[i] = fmt.Sprintf("%s costs %d more", word, price-credit)
			default:
				log[i] = fmt.Sprintf("%s with change %d", word, credit-price)
				left[word]--
				credit = 0
			}
		}
	}
	return log
}
