import java.util.List;

class Solution {
    public static int tramSignalArrival(int distance, List<List<Integer>> signals) {
        int delay = 0;
        for (List<Integer> signal : signals) {
            int green = signal.get(1);
            int cycle = green + signal.get(2);
            int phase = (signal.get(0) + delay) % cycle;
            if (phase >= green) {
                delay += cycle - phase;
            }
        }
        return distance + delay;
    }
}
