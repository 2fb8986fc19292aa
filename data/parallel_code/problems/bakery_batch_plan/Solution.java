import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

class Solution {
    private static final long NONE = Long.MAX_VALUE;

    public static Map<String, List<Integer>> bakeryBatchPlan(
            List<Integer> demand, int oven, int setup, int storage) {
        int days = demand.size();
        int total = demand.stream().mapToInt(Integer::intValue).sum();
        long[][] cost = new long[days + 1][total + 1];
        int[][] choice = new int[days][total + 1];
        Arrays.fill(cost[days], NONE);
        cost[days][0] = 0;
        for (int day = days - 1; day >= 0; day--) {
            Arrays.fill(cost[day], NONE);
            for (int stock = 0; stock <= total; stock++) {
                for (int baked = 0; baked <= oven; baked++) {
                    int kept = stock + baked - demand.get(day);
                    if (kept < 0 || kept > total || cost[day + 1][kept] == NONE) {
                        continue;
                    }
                    long dayCost = (baked > 0 ? setup : 0) + (long) storage * kept;
                    long candidate = cost[day + 1][kept] + dayCost;
                    if (candidate < cost[day][stock]) {
                        cost[day][stock] = candidate;
                        choice[day][stock] = baked;
                    }
                }
            }
        }
        if (cost[0][0] == NONE) {
            return Map.of("bake", List.of(), "stored", List.of(), "cost", List.of());
        }
        List<Integer> bake = new ArrayList<>();
        List<Integer> stored = new ArrayList<>();
        int stock = 0;
        for (int day = 0; day < days; day++) {
            int baked = choice[day][stock];
            stock += baked - demand.get(day);
            bake.add(baked);
            stored.add(stock);
        }
        return Map.of("bake", bake, "stored", stored, "cost", List.of((int) cost[0][0]));
    }
}
