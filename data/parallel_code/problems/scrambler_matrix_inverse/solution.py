def scrambler_matrix_inverse(matrix: list[list[int]], prime: int) -> list[list[int]]:
    size = len(matrix)
    rows = [[*row, *(int(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for col in range(size):
        candidates = [i for i in range(col, size) if rows[i][col] % prime]
        if not candidates:
            return []
        pivot = candidates[0]
        rows[col], rows[pivot] = rows[pivot], rows[col]
        scale = pow(rows[col][col], -1, prime)
        lead = rows[col] = [scale * value % prime for value in rows[col]]
        for i, row in enumerate(rows):
            if i != col:
                factor = row[col]
                rows[i] = [(value - factor * above) % prime for value, above in zip(row, lead)]
    return [row[size:] for row in rows]
