import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

class Solution {
    public static List<Integer> courierHopCounts(
            int stations, List<List<Integer>> links, int depot, List<Integer> closed) {
        List<List<Integer>> neighbours = new ArrayList<>();
        for (int i = 0; i < stations; i++) {
            neighbours.add(new ArrayList<>());
        }
        for (List<Integer> link : links) {
            neighbours.get(link.get(0)).add(link.get(1));
            neighbours.get(link.get(1)).add(link.get(0));
        }
        List<Integer> hops = new ArrayList<>(Collections.nCopies(stations, -1));
        if (closed.contains(depot)) {
            return hops;
        }
        hops.set(depot, 0);
        Deque<Integer> queue = new ArrayDeque<>(List.of(depot));
        while (!queue.isEmpty()) {
            int station = queue.remove();
            for (int next : neighbours.get(station)) {
                if (hops.get(next) < 0 && !closed.contains(next)) {
                    hops.set(next, hops.get(station) + 1);
                    queue.add(next);
                }
            }
        }
        return hops;
    }
}
