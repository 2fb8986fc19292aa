import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

class Solution {
    public static List<Integer> alarmReachCounts(int alarms, List<List<Integer>> wires) {
        List<Integer> counts = new ArrayList<>();
        for (int first = 0; first < alarms; first++) {
            BitSet ringing = new BitSet(alarms);
            ringing.set(first);
            int before = 0;
            while (ringing.cardinality() > before) {
                before = ringing.cardinality();
                for (List<Integer> wire : wires) {
                    if (ringing.get(wire.get(0))) {
                        ringing.set(wire.get(1));
                    }
                }
            }
            counts.add(before);
        }
        return counts;
    }
}
