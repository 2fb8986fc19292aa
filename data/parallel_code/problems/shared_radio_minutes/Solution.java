import java.util.BitSet;
import java.util.List;

class Solution {
    public static int sharedRadioMinutes(List<List<Integer>> first, List<List<Integer>> second) {
        BitSet shared = minutesOnAir(first);
        shared.and(minutesOnAir(second));
        return shared.cardinality();
    }

    private static BitSet minutesOnAir(List<List<Integer>> spans) {
        BitSet minutes = new BitSet();
        for (List<Integer> span : spans) {
            if (span.get(0) < span.get(1)) {
                minutes.set(span.get(0), span.get(1));
            }
        }
        return minutes;
    }
}
