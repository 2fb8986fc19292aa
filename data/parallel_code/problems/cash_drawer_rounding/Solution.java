import java.util.List;

class Solution {
    public static int cashDrawerRounding(List<Integer> prices, int step) {
        int total = prices.stream().mapToInt(Integer::intValue).sum();
        return Math.floorDiv(2 * total + step, 2 * step) * step;
    }
}
