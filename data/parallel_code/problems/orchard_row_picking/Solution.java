import java.util.List;

class Solution {
    public static int orchardRowPicking(List<Integer> yields, List<Integer> rests) {
        int trees = yields.size();
        int[] best = new int[trees + 1];
        for (int i = trees - 1; i >= 0; i--) {
            int afterCooling = Math.min(i + 1 + rests.get(i), trees);
            best[i] = Math.max(best[i + 1], yields.get(i) + best[afterCooling]);
        }
        return best[0];
    }
}
