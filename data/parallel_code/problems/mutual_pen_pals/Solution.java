import java.util.HashSet;
import java.util.List;
import java.util.Set;

class Solution {
    public static int mutualPenPals(List<List<Integer>> letters) {
        Set<List<Integer>> sent = new HashSet<>(letters);
        int pairs = 0;
        for (List<Integer> letter : sent) {
            int sender = letter.get(0);
            int receiver = letter.get(1);
            if (sender < receiver && sent.contains(List.of(receiver, sender))) {
                pairs++;
            }
        }
        return pairs;
    }
}
