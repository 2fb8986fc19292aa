package solution

import "fmt"

type date struct{ year, month, day int }

func RentDueDates(year int, month int, day int, count int) []string {
	dates := make([]string, count)
	for i := range dates {
		months := month - 1 + i
		due := date{year + months/12, months%12 + 1, day}
		if last := monthLength(due.year, due.month); due.day > last {
			due.day = last
		}
		for due.weekday() > 4 {
			due = due.next()
		}
		dates[i] = fmt.Sprintf("%04d-%02d-%02d", due.year, due.month, due.day)
	}
	return dates
}

func (d date) weekday() int {
	past := d.year - 1
	days := past*365 + past/4 - past/100 + past/400
	for month := 1; month < d.month; month++ {
		days += monthLength(d.year, month)
	}
	return (days + d.day - 1) % 7
}

func (d date) next() date {
	switch {
	case d.day < monthLength(d.year, d.month):
		return date{d.year, d.month, d.day + 1}
	case d.month < 12:
		return date{d.year, d.month + 1, 1}
	default:
		return date{d.year + 1, 1, 1}
	}
}

func monthLength(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	default:
		return 31
	}
}
