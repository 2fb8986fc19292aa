import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<String> jarLabelBox(List<String> lines) {
        int width = lines.stream().mapToInt(String::length).max().orElse(0);
        String edge = "+" + "-".repeat(width + 2) + "+";
        List<String> box = new ArrayList<>();
        box.add(edge);
        for (String line : lines) {
            box.add("| " + line + " ".repeat(width - line.length()) + " |");
        }
        box.add(edge);
        return box;
    }
}
