import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

class Solution {
    public static List<List<Integer>> fenceBoardPatterns(int length, List<Integer> widths) {
        List<Integer> sorted = widths.stream().sorted().collect(Collectors.toList());
        List<List<Integer>> patterns = new ArrayList<>();
        extend(length, sorted, new ArrayList<>(), patterns);
        return patterns;
    }

    private static void extend(
            int remaining,
            List<Integer> widths,
            List<Integer> boards,
            List<List<Integer>> patterns) {
        if (remaining == 0) {
            patterns.add(List.copyOf(boards));
            return;
        }
        int last = boards.isEmpty() ? 0 : boards.get(boards.size() - 1);
        for (int width : widths) {
            if (width > remaining) {
                break;
            }
            if (width != last) {
                boards.add(width);
                extend(remaining - width, widths, boards, patterns);
                boards.remove(boards.size() - 1);
            }
        }
    }
}
