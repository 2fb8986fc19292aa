import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> trimCounterStutter(List<Integer> readings, int keep) {
        List<Integer> kept = new ArrayList<>();
        int run = 0;
        Integer previous = null;
        for (Integer reading : readings) {
            run = reading.equals(previous) ? run + 1 : 1;
            if (run <= keep) {
                kept.add(reading);
            }
            previous = reading;
        }
        return kept;
    }
}
