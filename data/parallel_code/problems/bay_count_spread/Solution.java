import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> bayCountSpread(List<List<Integer>> counts) {
        List<Integer> spread = new ArrayList<>();
        if (counts.isEmpty()) {
            return spread;
        }
        for (int bay = 0; bay < counts.get(0).size(); bay++) {
            int low = Integer.MAX_VALUE;
            int high = Integer.MIN_VALUE;
            for (List<Integer> day : counts) {
                low = Math.min(low, day.get(bay));
                high = Math.max(high, day.get(bay));
            }
            spread.add(high - low);
        }
        return spread;
    }
}
