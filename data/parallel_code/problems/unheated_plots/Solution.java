import java.util.ArrayList;
import java.util.List;

class Solution {
    private record Cell(int row, int column) {
        int distance(Cell other) {
            return Math.abs(row - other.row) + Math.abs(column - other.column);
        }
    }

    public static int unheatedPlots(List<String> plots, int reach) {
        List<Cell> heaters = cellsOf(plots, 'H');
        return (int) cellsOf(plots, '.').stream()
                .filter(plot -> heaters.stream().noneMatch(heater -> plot.distance(heater) <= reach))
                .count();
    }

    private static List<Cell> cellsOf(List<String> plots, char kind) {
        List<Cell> cells = new ArrayList<>();
        for (int row = 0; row < plots.size(); row++) {
            for (int column = 0; column < plots.get(row).length(); column++) {
                if (plots.get(row).charAt(column) == kind) {
                    cells.add(new Cell(row, column));
                }
            }
        }
        return cells;
    }
}
