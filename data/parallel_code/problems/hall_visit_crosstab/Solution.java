import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

class Solution {
    public static List<List<Integer>> hallVisitCrosstab(List<String> days, List<String> halls) {
        List<String> rows = new ArrayList<>(new TreeSet<>(days));
        List<String> columns = new ArrayList<>(new TreeSet<>(halls));
        List<List<Integer>> table = new ArrayList<>();
        for (int i = 0; i <= rows.size(); i++) {
            table.add(new ArrayList<>(Collections.nCopies(columns.size() + 1, 0)));
        }
        for (int visit = 0; visit < days.size(); visit++) {
            int row = Collections.binarySearch(rows, days.get(visit));
            int column = Collections.binarySearch(columns, halls.get(visit));
            for (int i : List.of(row, rows.size())) {
                for (int j : List.of(column, columns.size())) {
                    table.get(i).set(j, table.get(i).get(j) + 1);
                }
            }
        }
        return table;
    }
}
