import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

class Solution {
    public static List<String> weaveParcelLines(List<List<String>> lines, List<Integer> pattern) {
        List<Deque<String>> waiting = new ArrayList<>();
        for (List<String> line : lines) {
            waiting.add(new ArrayDeque<>(line));
        }
        List<String> belt = new ArrayList<>();
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int number : pattern) {
                String parcel = waiting.get(number).pollFirst();
                if (parcel != null) {
                    belt.add(parcel);
                    moved = true;
                }
            }
        }
        return belt;
    }
}
