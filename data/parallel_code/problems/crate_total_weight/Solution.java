import java.util.List;
import java.util.Map;

class Solution {
    public static int crateTotalWeight(
            Map<String, List<String>> contents, Map<String, Integer> weights, String crate) {
        int total = weights.getOrDefault(crate, 0);
        for (String name : contents.getOrDefault(crate, List.of())) {
            total += crateTotalWeight(contents, weights, name);
        }
        return total;
    }
}
