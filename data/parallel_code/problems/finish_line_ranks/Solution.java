import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Solution {
    public static List<Integer> finishLineRanks(List<Integer> times) {
        List<Integer> ordered = times.stream().sorted().toList();
        Map<Integer, Integer> ranks = new HashMap<>();
        for (int i = 0; i < ordered.size(); i++) {
            ranks.putIfAbsent(ordered.get(i), i + 1);
        }
        return times.stream().map(ranks::get).toList();
    }
}
