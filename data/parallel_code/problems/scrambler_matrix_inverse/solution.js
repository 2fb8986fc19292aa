function scramblerMatrixInverse(matrix, prime) {
  const mod = (value) => ((value % prime) + prime) % prime;
  const inverseOf = (value) => {
    let [a, b, x, y] = [value, prime, 1, 0];
    while (b) {
      const q = Math.floor(a / b);
      [a, b, x, y] = [b, a - q * b, y, x - q * y];
    }
    return mod(x);
  };

  const size = matrix.length;
  const rows = matrix.map((row, i) => [
    ...row.map(mod),
    ...Array.from({ length: size }, (_, j) => Number(i === j)),
  ]);
  for (let col = 0; col < size; col++) {
    const pivot = rows.findIndex((row, i) => i >= col && row[col] !== 0);
    if (pivot < 0) return [];
    [rows[col], rows[pivot]] = [rows[pivot], rows[col]];
    const scale = inverseOf(rows[col][col]);
    const lead = rows[col].map((value) => (value * scale) % prime);
    rows.forEach((row, i) => {
      const factor = row[col];
      rows[i] = i === col ? lead : row.map((value, j) => mod(value - factor * lead[j]));
    });
  }
  return rows.map((row) => row.slice(size));
}
