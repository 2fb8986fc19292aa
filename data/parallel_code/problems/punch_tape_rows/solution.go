package solution

func PunchTapeRows(text string) []string {
	rows := make([]string, len(text))
	for i := range rows {
		row := []byte("...|....")
		for bit, place := 0, 7; bit < 7; bit, place = bit+1, place-1 {
			if place == 3 {
				place--
			}
			if text[i]>>bit&1 == 1 {
				row[place] = 'O'
			}
		}
		rows[i] = string(row)
	}
	return rows
}
