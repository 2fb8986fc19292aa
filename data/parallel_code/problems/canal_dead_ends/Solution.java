import java.util.List;
import java.util.TreeMap;

class Solution {
    public static List<Integer> canalDeadEnds(List<List<Integer>> canals) {
        TreeMap<Integer, Integer> ends = new TreeMap<>();
        for (List<Integer> canal : canals) {
            canal.forEach(basin -> ends.merge(basin, 1, Integer::sum));
        }
        ends.values().removeIf(count -> count != 1);
        return List.copyOf(ends.keySet());
    }
}
