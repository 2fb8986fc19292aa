import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

class Solution {
    public static List<List<Integer>> guardCoverShortfalls(
            List<String> guards, List<List<Integer>> shifts, List<Integer> hours, int need) {
        List<List<Integer>> shortfalls = new ArrayList<>();
        int start = hours.get(0);
        int missing = 0;
        for (int minute = start; minute <= hours.get(1); minute++) {
            boolean closed = minute == hours.get(1);
            int now = closed ? 0 : Math.max(0, need - onDuty(guards, shifts, minute));
            if (now != missing) {
                if (missing > 0) {
                    shortfalls.add(List.of(start, minute, missing));
                }
                start = minute;
                missing = now;
            }
        }
        return shortfalls;
    }

    private static int onDuty(List<String> guards, List<List<Integer>> shifts, int minute) {
        Set<String> present = new HashSet<>();
        for (int i = 0; i < shifts.size(); i++) {
            if (shifts.get(i).get(0) <= minute && minute < shifts.get(i).get(1)) {
                present.add(guards.get(i));
            }
        }
        return present.size();
    }
}
