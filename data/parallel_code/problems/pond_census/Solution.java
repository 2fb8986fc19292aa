import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

class Solution {
    private record Pond(int area, int shoreline, int border) {
    }

    private final char[][] field;
    private final boolean[][] seen;

    private Solution(List<String> rows) {
        field = rows.stream().map(String::toCharArray).toArray(char[][]::new);
        seen = new boolean[field.length][field.length == 0 ? 0 : field[0].length];
    }

    public static List<List<Integer>> pondCensus(List<String> field) {
        return new Solution(field).ponds().stream()
                .sorted(Comparator.comparingInt(Pond::area).reversed()
                        .thenComparingInt(Pond::shoreline)
                        .thenComparingInt(Pond::border))
                .map(pond -> List.of(pond.area(), pond.shoreline(), pond.border()))
                .toList();
    }

    private List<Pond> ponds() {
        List<Pond> ponds = new ArrayList<>();
        for (int r = 0; r < field.length; r++) {
            for (int c = 0; c < field[r].length; c++) {
                if (isWater(r, c) && !seen[r][c]) {
                    ponds.add(survey(r, c));
                }
            }
        }
        return ponds;
    }

    private Pond survey(int row, int column) {
        int area = 0;
        int shoreline = 0;
        int border = 0;
        Deque<int[]> waiting = new ArrayDeque<>();
        waiting.push(new int[] {row, column});
        seen[row][column] = true;
        while (!waiting.isEmpty()) {
            int[] cell = waiting.pop();
            area++;
            if (cell[0] == 0 || cell[0] == field.length - 1 || cell[1] == 0 || cell[1] == field[0].length - 1) {
                border = 1;
            }
            for (int r = cell[0] - 1; r <= cell[0] + 1; r++) {
                for (int c = cell[1] - 1; c <= cell[1] + 1; c++) {
                    boolean side = r == cell[0] || c == cell[1];
                    if (!isWater(r, c)) {
                        shoreline += side ? 1 : 0;
                    } else if (!seen[r][c]) {
                        seen[r][c] = true;
                        waiting.push(new int[] {r, c});
                    }
                }
            }
        }
        return new Pond(area, shoreline, border);
    }

    private boolean isWater(int r, int c) {
        return r >= 0 && r < field.length && c >= 0 && c < field[r].length && field[r][c] == '~';
    }
}
