import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static List<Integer> frugalPathLamps(int length, List<List<Integer>> lamps) {
        int[] burning = new int[length];
        for (List<Integer> lamp : lamps) {
            metres(lamp, length).forEach(metre -> burning[metre]++);
        }
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < lamps.size(); i++) {
            List<Integer> lamp = lamps.get(i);
            if (metres(lamp, length).anyMatch(metre -> burning[metre] == 1)) {
                kept.add(i);
            } else {
                metres(lamp, length).forEach(metre -> burning[metre]--);
            }
        }
        return kept;
    }

    private static IntStream metres(List<Integer> lamp, int length) {
        int position = lamp.get(0);
        int reach = lamp.get(1);
        return IntStream.range(Math.max(0, position - reach), Math.min(length, position + reach));
    }
}
