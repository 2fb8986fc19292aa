import java.util.List;

class Solution {
    public static List<String> punchTapeRows(String text) {
        return text.chars().mapToObj(Solution::row).toList();
    }

    private static String row(int code) {
        StringBuilder row = new StringBuilder();
        for (int bit = 6; bit >= 0; bit--) {
            row.append((code >> bit & 1) == 1 ? 'O' : '.');
        }
        return row.insert(3, '|').toString();
    }
}
