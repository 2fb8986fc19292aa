import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> posterRowBreaks(List<Integer> widths, int wall) {
        int posters = widths.size();
        if (widths.stream().anyMatch(width -> width > wall)) {
            return List.of();
        }
        long[] cost = new long[posters + 1];
        int[] rowEnd = new int[posters + 1];
        for (int start = posters - 1; start >= 0; start--) {
            cost[start] = Long.MAX_VALUE;
            long free = wall;
            for (int end = start + 1; end <= posters; end++) {
                free -= widths.get(end - 1);
                if (free < 0) {
                    break;
                }
                if (free * free + cost[end] <= cost[start]) {
                    cost[start] = free * free + cost[end];
                    rowEnd[start] = end;
                }
            }
        }
        List<Integer> counts = new ArrayList<>();
        for (int start = 0; start < posters; start = rowEnd[start]) {
            counts.add(rowEnd[start] - start);
        }
        return counts;
    }
}
