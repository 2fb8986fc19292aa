import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> bridgeSensorGaps(List<Integer> readings, int longest) {
        int size = readings.size();
        List<Integer> filled = new ArrayList<>(readings);
        int previous = -1;
        for (int next = 0; next <= size; next++) {
            if (next < size && readings.get(next) == -1) {
                continue;
            }
            int silent = next - previous - 1;
            boolean known = previous >= 0 || next < size;
            if (known && silent <= longest) {
                for (int i = previous + 1; i < next; i++) {
                    boolean useLater = previous < 0 || next < size && next - i < i - previous;
                    filled.set(i, readings.get(useLater ? next : previous));
                }
            }
            previous = next;
        }
        return filled;
    }
}
