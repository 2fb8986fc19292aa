import java.util.BitSet;
import java.util.List;

class Solution {
    public static String lampRowAfterPulls(int count, List<Integer> pulls) {
        BitSet lit = new BitSet();
        for (int lamp : pulls) {
            if (lamp >= 1 && lamp <= count) {
                lit.flip(lamp);
            }
        }
        StringBuilder row = new StringBuilder();
        for (int lamp = 1; lamp <= count; lamp++) {
            row.append(lit.get(lamp) ? '*' : '.');
        }
        return row.toString();
    }
}
