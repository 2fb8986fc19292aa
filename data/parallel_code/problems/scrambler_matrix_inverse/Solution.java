import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class Solution {
    public static List<List<Integer>> scramblerMatrixInverse(
            List<List<Integer>> matrix, int prime) {
        int size = matrix.size();
        long[][] rows = new long[size][2 * size];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                rows[i][j] = Math.floorMod(matrix.get(i).get(j), prime);
            }
            rows[i][size + i] = 1;
        }
        for (int col = 0; col < size; col++) {
            int pivot = col;
            while (pivot < size && rows[pivot][col] == 0) {
                pivot++;
            }
            if (pivot == size) {
                return List.of();
            }
            long[] lead = rows[pivot];
            rows[pivot] = rows[col];
            rows[col] = lead;
            scale(lead, inverse(lead[col], prime), prime);
            for (int i = 0; i < size; i++) {
                if (i != col) {
                    subtract(rows[i], lead, rows[i][col], prime);
                }
            }
        }
        List<List<Integer>> inverse = new ArrayList<>();
        for (long[] row : rows) {
            inverse.add(Arrays.stream(row, size, 2 * size).mapToObj(value -> (int) value).toList());
        }
        return inverse;
    }

    private static long inverse(long value, int prime) {
        return BigInteger.valueOf(value).modInverse(BigInteger.valueOf(prime)).longValue();
    }

    private static void scale(long[] row, long factor, int prime) {
        for (int j = 0; j < row.length; j++) {
            row[j] = row[j] * factor % prime;
        }
    }

    private static void subtract(long[] row, long[] lead, long factor, int prime) {
        for (int j = 0; j < row.length; j++) {
            row[j] = Math.floorMod(row[j] - factor * lead[j], (long) prime);
        }
    }
}
