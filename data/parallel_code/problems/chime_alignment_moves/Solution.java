import java.util.List;

class Solution {
    public static String chimeAlignmentMoves(List<Integer> first, List<Integer> second, int gap) {
        int rows = first.size();
        int columns = second.size();
        int[][] cost = new int[rows + 1][columns + 1];
        for (int i = rows; i >= 0; i--) {
            for (int j = columns; j >= 0; j--) {
                if (i == rows || j == columns) {
                    cost[i][j] = gap * (rows - i + columns - j);
                } else {
                    int together = Math.abs(first.get(i) - second.get(j)) + cost[i + 1][j + 1];
                    int alone = gap + Math.min(cost[i + 1][j], cost[i][j + 1]);
                    cost[i][j] = Math.min(together, alone);
                }
            }
        }
        StringBuilder moves = new StringBuilder();
        int i = 0;
        int j = 0;
        while (i < rows || j < columns) {
            if (i < rows && j < columns
                    && cost[i][j] == Math.abs(first.get(i) - second.get(j)) + cost[i + 1][j + 1]) {
                moves.append('M');
                i++;
                j++;
            } else if (i < rows && cost[i][j] == gap + cost[i + 1][j]) {
                moves.append('F');
                i++;
            } else {
                moves.append('S');
                j++;
            }
        }
        return moves.toString();
    }
}
