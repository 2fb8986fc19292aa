import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static List<Integer> tideWindowMiddles(List<Integer> levels, int width) {
        return IntStream.rangeClosed(0, levels.size() - width)
            .mapToObj(start -> levels.subList(start, start + width))
            .map(window -> window.stream().sorted().skip(width / 2).findFirst().orElseThrow())
            .toList();
    }
}
