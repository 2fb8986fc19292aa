package solution

func mod(value, prime int) int {
	return (value%prime + prime) % prime
}

func power(base, exponent, prime int) int {
	result := 1
	for ; exponent > 0; exponent /= 2 {
		if exponent%2 == 1 {
			result = result * base % prime
		}
		base = base * base % prime
	}
	return result
}

func augment(matrix [][]int, prime int) [][]int {
	size := len(matrix)
	rows := make([][]int, size)
	for i, row := range matrix {
		rows[i] = make([]int, 2*size)
		for j, value := range row {
			rows[i][j] = mod(value, prime)
		}
		rows[i][size+i] = 1
	}
	return rows
}

func ScramblerMatrixInverse(matrix [][]int, prime int) [][]int {
	size := len(matrix)
	rows := augment(matrix, prime)
	for col := 0; col < size; col++ {
		pivot := col
		for pivot < size && rows[pivot][col] == 0 {
			pivot++
		}
		if pivot == size {
			return [][]int{}
		}
		rows[col], rows[pivot] = rows[pivot], rows[col]
		lead := rows[col]
		scale := power(lead[col], prime-2, prime)
		for j := range lead {
			lead[j] = lead[j] * scale % prime
		}
		for i, row := range rows {
			factor := row[col]
			if i == col || factor == 0 {
				continue
			}
			for j := range row {
				row[j] = mod(row[j]-factor*lead[j], prime)
			}
		}
	}
	for i := range rows {
		rows[i] = rows[i][size:]
	}
	return rows
}
