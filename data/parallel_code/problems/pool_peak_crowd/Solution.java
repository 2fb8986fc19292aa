import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static List<Integer> poolPeakCrowd(List<Integer> entries, List<Integer> exits) {
        TreeMap<Integer, Integer> changes = new TreeMap<>();
        entries.forEach(minute -> changes.merge(minute, 1, Integer::sum));
        exits.forEach(minute -> changes.merge(minute, -1, Integer::sum));
        int crowd = 0;
        int peak = 0;
        int reached = -1;
        int lasted = 0;
        for (Map.Entry<Integer, Integer> change : changes.entrySet()) {
            int minute = change.getKey();
            crowd += change.getValue();
            if (crowd > peak) {
                peak = crowd;
                reached = minute;
                lasted = 0;
            }
            if (crowd == peak) {
                lasted += changes.higherKey(minute) - minute;
            }
        }
        return List.of(peak, reached, lasted);
    }
}
