import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

class Solution {
    public static List<List<Integer>> joinedRoadworkStretches(List<List<Integer>> works, int gap) {
        List<List<Integer>> ordered = new ArrayList<>(works);
        ordered.sort(Comparator.comparing(work -> work.get(0)));
        List<List<Integer>> stretches = new ArrayList<>();
        for (List<Integer> work : ordered) {
            int start = work.get(0);
            int end = work.get(1);
            int last = stretches.size() - 1;
            if (last < 0 || start - stretches.get(last).get(1) > gap) {
                stretches.add(List.of(start, end, 1, end - start));
                continue;
            }
            List<Integer> open = stretches.get(last);
            int added = Math.max(0, end - Math.max(start, open.get(1)));
            stretches.set(last, List.of(
                open.get(0), Math.max(end, open.get(1)), open.get(2) + 1, open.get(3) + added));
        }
        return stretches;
    }
}
