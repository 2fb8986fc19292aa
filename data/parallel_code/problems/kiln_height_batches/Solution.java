import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<List<Integer>> kilnHeightBatches(List<Integer> heights, int slack, int room) {
        List<List<Integer>> batches = new ArrayList<>();
        List<Integer> open = null;
        int shortest = 0;
        int tallest = 0;
        for (int height : heights) {
            int low = Math.min(shortest, height);
            int high = Math.max(tallest, height);
            if (open == null || open.size() == room || high - low > slack) {
                open = new ArrayList<>();
                batches.add(open);
                low = height;
                high = height;
            }
            open.add(height);
            shortest = low;
            tallest = high;
        }
        return batches;
    }
}
