package solution

import "sort"

func HallVisitCrosstab(days []string, halls []string) [][]int {
	rowOf, columnOf := places(days), places(halls)
	lastRow, lastColumn := len(rowOf), len(columnOf)
	table := make([][]int, lastRow+1)
	for i := range table {
		table[i] = make([]int, lastColumn+1)
	}
	for visit, day := range days {
		row, column := rowOf[day], columnOf[halls[visit]]
		table[row][column]++
		table[row][lastColumn]++
		table[lastRow][column]++
		table[lastRow][lastColumn]++
	}
	return table
}

func places(names []string) map[string]int {
	place := map[string]int{}
	for _, name := range names {
		place[name] = 0
	}
	distinct := make([]string, 0, len(place))
	for name := range place {
		distinct = append(distinct, name)
	}
	sort.Strings(distinct)
	for i, name := range distinct {
		place[name] = i
	}
	return place
}
