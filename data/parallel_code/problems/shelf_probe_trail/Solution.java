import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> shelfProbeTrail(List<String> codes, String wanted) {
        List<Integer> trail = new ArrayList<>();
        int first = 0;
        int last = codes.size() - 1;
        while (first <= last) {
            int middle = (first + last) >>> 1;
            trail.add(middle);
            int order = codes.get(middle).compareTo(wanted);
            if (order == 0) {
                break;
            }
            if (order < 0) {
                first = middle + 1;
            } else {
                last = middle - 1;
            }
        }
        return trail;
    }
}
