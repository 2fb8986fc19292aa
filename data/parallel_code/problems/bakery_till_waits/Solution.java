import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

class Solution {
    public static List<Integer> bakeryTillWaits(List<Integer> arrivals, List<Integer> services, int tills) {
        PriorityQueue<Integer> freeAt = new PriorityQueue<>(Collections.nCopies(tills, 0));
        List<Integer> waits = new ArrayList<>();
        for (int i = 0; i < arrivals.size(); i++) {
            int begin = Math.max(arrivals.get(i), freeAt.remove());
            freeAt.add(begin + services.get(i));
            waits.add(begin - arrivals.get(i));
        }
        return waits;
    }
}
