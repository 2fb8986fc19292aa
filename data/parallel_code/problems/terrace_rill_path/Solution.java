import java.util.ArrayList;
import java.util.List;

class Solution {
    private static final int[][] STEPS = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};

    public static List<List<Integer>> terraceRillPath(List<List<Integer>> heights, int row, int column) {
        List<List<Integer>> path = new ArrayList<>();
        int r = row;
        int c = column;
        boolean moved = true;
        while (moved) {
            path.add(List.of(r, c));
            moved = false;
            int lowest = heights.get(r).get(c);
            int fromRow = r;
            int fromColumn = c;
            for (int[] step : STEPS) {
                int nextRow = fromRow + step[0];
                int nextColumn = fromColumn + step[1];
                if (nextRow < 0 || nextRow >= heights.size()) {
                    continue;
                }
                if (nextColumn < 0 || nextColumn >= heights.get(nextRow).size()) {
                    continue;
                }
                if (heights.get(nextRow).get(nextColumn) < lowest) {
                    lowest = heights.get(nextRow).get(nextColumn);
                    r = nextRow;
                    c = nextColumn;
                    moved = true;
                }
            }
        }
        return path;
    }
}
