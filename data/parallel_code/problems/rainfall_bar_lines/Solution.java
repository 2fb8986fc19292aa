import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static List<String> rainfallBarLines(List<String> labels, List<Integer> amounts, int width) {
        int margin = labels.stream().mapToInt(String::length).max().orElse(0);
        int highest = amounts.isEmpty() ? 0 : Collections.max(amounts);
        return IntStream.range(0, labels.size())
            .mapToObj(i -> {
                String padding = " ".repeat(margin - labels.get(i).length());
                String bar = "#".repeat(barLength(amounts.get(i), highest, width));
                return padding + labels.get(i) + " |" + bar + " " + amounts.get(i);
            })
            .toList();
    }

    private static int barLength(int amount, int highest, int width) {
        return amount == 0 ? 0 : Math.max(1, amount * width / highest);
    }
}
