import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<String> twoColumnNotice(String text, int width, int gap) {
        List<String> lines = wrap(text, width);
        int half = (lines.size() + 1) / 2;
        List<String> rows = new ArrayList<>(lines.subList(0, half));
        for (int i = half; i < lines.size(); i++) {
            String left = lines.get(i - half);
            String space = " ".repeat(width + gap - left.length());
            rows.set(i - half, left + space + lines.get(i));
        }
        return rows;
    }

    private static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            if (line.length() > 0) {
                line.append(' ');
            }
            line.append(word);
        }
        if (line.length() > 0) {
            lines.add(line.toString());
        }
        return lines;
    }
}
