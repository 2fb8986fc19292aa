import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<String> buttonPressGestures(String samples, int hold, int gap) {
        List<String> gestures = new ArrayList<>();
        int lastTapEnd = -1;
        int start = samples.indexOf('1');
        while (start >= 0) {
            int end = samples.indexOf('0', start);
            if (end < 0) {
                end = samples.length();
            }
            if (end - start >= hold) {
                gestures.add("hold");
                lastTapEnd = -1;
            } else if (lastTapEnd >= 0 && start - lastTapEnd <= gap) {
                gestures.set(gestures.size() - 1, "double");
                lastTapEnd = -1;
            } else {
                gestures.add("tap");
                lastTapEnd = end;
            }
            start = samples.indexOf('1', end);
        }
        return gestures;
    }
}
