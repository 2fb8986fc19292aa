import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> loneGaugePeaks(List<Integer> levels, int reach) {
        List<Integer> peaks = new ArrayList<>();
        for (int i = 0; i < levels.size(); i++) {
            if (isLonePeak(levels, i, reach)) {
                peaks.add(i);
            }
        }
        return peaks;
    }

    private static boolean isLonePeak(List<Integer> levels, int place, int reach) {
        int first = Math.max(0, place - reach);
        int last = Math.min(levels.size() - 1, place + reach);
        for (int i = first; i <= last; i++) {
            if (i != place && levels.get(i) >= levels.get(place)) {
                return false;
            }
        }
        return true;
    }
}
