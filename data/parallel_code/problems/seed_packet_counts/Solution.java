import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class Solution {
    private static final int IMPOSSIBLE = Integer.MAX_VALUE;

    public static List<Integer> seedPacketCounts(int order, List<List<Integer>> packets) {
        int kinds = packets.size();
        int[][] fewest = new int[kinds + 1][order + 1];
        int[][] count = new int[kinds][order + 1];
        Arrays.fill(fewest[kinds], IMPOSSIBLE);
        fewest[kinds][0] = 0;
        for (int kind = kinds - 1; kind >= 0; kind--) {
            int size = packets.get(kind).get(0);
            int stock = packets.get(kind).get(1);
            for (int missing = 0; missing <= order; missing++) {
                fewest[kind][missing] = IMPOSSIBLE;
                for (int used = Math.min(stock, missing / size); used >= 0; used--) {
                    int rest = fewest[kind + 1][missing - used * size];
                    if (rest != IMPOSSIBLE && used + rest < fewest[kind][missing]) {
                        fewest[kind][missing] = used + rest;
                        count[kind][missing] = used;
                    }
                }
            }
        }
        List<Integer> counts = new ArrayList<>();
        if (fewest[0][order] == IMPOSSIBLE) {
            return counts;
        }
        int missing = order;
        for (int kind = 0; kind < kinds; kind++) {
            counts.add(count[kind][missing]);
            missing -= count[kind][missing] * packets.get(kind).get(0);
        }
        return counts;
    }
}
