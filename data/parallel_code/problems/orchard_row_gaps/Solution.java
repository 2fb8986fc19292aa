import java.util.Arrays;
import java.util.List;

class Solution {
    public static List<Integer> orchardRowGaps(List<String> rows) {
        return rows.stream()
                .map(row -> Arrays.stream(row.split("T")).mapToInt(String::length).max().orElse(0))
                .toList();
    }
}
