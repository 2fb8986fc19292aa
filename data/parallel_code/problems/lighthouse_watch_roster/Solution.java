import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static List<String> lighthouseWatchRoster(
            int nights, Map<String, List<Integer>> absences, int maxWatches, int rest) {
        List<String> roster = new ArrayList<>();
        fill(roster, nights, new TreeMap<>(absences), maxWatches, rest);
        return roster;
    }

    private static boolean fill(
            List<String> roster,
            int nights,
            Map<String, List<Integer>> absences,
            int maxWatches,
            int rest) {
        int night = roster.size();
        if (night == nights) {
            return true;
        }
        for (String keeper : absences.keySet()) {
            int last = roster.lastIndexOf(keeper);
            if (absences.get(keeper).contains(night)
                    || (last >= 0 && night - last <= rest)
                    || Collections.frequency(roster, keeper) >= maxWatches) {
                continue;
            }
            roster.add(keeper);
            if (fill(roster, nights, absences, maxWatches, rest)) {
                return true;
            }
            roster.remove(night);
        }
        return false;
    }
}
