import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> dyeBathSequence(List<List<Integer>> costs, int rinse) {
        int cloths = costs.size();
        int baths = cloths == 0 ? 0 : costs.get(0).size();
        int[][] total = new int[cloths][baths];
        int[][] next = new int[cloths][baths];
        for (int i = cloths - 1; i >= 0; i--) {
            for (int bath = 0; bath < baths; bath++) {
                total[i][bath] = costs.get(i).get(bath);
                if (i + 1 < cloths) {
                    next[i][bath] = cheapest(total[i + 1], bath, rinse);
                    total[i][bath] += total[i + 1][next[i][bath]];
                    total[i][bath] += next[i][bath] == bath ? 0 : rinse;
                }
            }
        }
        List<Integer> sequence = new ArrayList<>();
        for (int i = 0; i < cloths; i++) {
            int bath = i == 0 ? cheapest(total[0], 0, 0) : next[i - 1][sequence.get(i - 1)];
            sequence.add(bath);
        }
        return sequence;
    }

    private static int cheapest(int[] totals, int from, int rinse) {
        int best = 0;
        int bestTotal = Integer.MAX_VALUE;
        for (int bath = 0; bath < totals.length; bath++) {
            int candidate = totals[bath] + (bath == from ? 0 : rinse);
            if (candidate < bestTotal) {
                best = bath;
                bestTotal = candidate;
            }
        }
        return best;
    }
}
