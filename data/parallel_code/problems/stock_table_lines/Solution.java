import java.util.ArrayList;
import java.util.List;

class Solution {
    private record Column(int width, boolean numeric) {
        String align(String cell) {
            String padding = " ".repeat(width - cell.length());
            return numeric ? padding + cell : cell + padding;
        }
    }

    public static List<String> stockTableLines(List<String> header, List<List<String>> rows) {
        List<Column> columns = new ArrayList<>();
        List<String> rule = new ArrayList<>();
        for (int i = 0; i < header.size(); i++) {
            Column column = measure(header, rows, i);
            columns.add(column);
            rule.add("-".repeat(column.width()));
        }
        List<String> lines = new ArrayList<>();
        lines.add(layout(columns, header));
        lines.add(layout(columns, rule));
        for (List<String> row : rows) {
            lines.add(layout(columns, row));
        }
        return lines;
    }

    private static Column measure(List<String> header, List<List<String>> rows, int index) {
        int width = header.get(index).length();
        boolean numeric = !rows.isEmpty();
        for (List<String> row : rows) {
            String cell = row.get(index);
            width = Math.max(width, cell.length());
            numeric &= cell.matches("-?\\d+(\\.\\d+)?");
        }
        return new Column(width, numeric);
    }

    private static String layout(List<Column> columns, List<String> cells) {
        List<String> aligned = new ArrayList<>();
        for (int i = 0; i < cells.size(); i++) {
            aligned.add(columns.get(i).align(cells.get(i)));
        }
        return String.join("  ", aligned).stripTrailing();
    }
}
