import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

class Solution {
    private record Berth(int position, int end, int leaves) {
    }

    public static List<List<Integer>> quayBerthPlan(int quay, List<List<Integer>> ships) {
        List<List<Integer>> plan = new ArrayList<>();
        TreeSet<Berth> berths = new TreeSet<>(Comparator.comparingInt(Berth::position));
        int time = 0;
        for (List<Integer> ship : ships) {
            int length = ship.get(1);
            if (length > quay) {
                plan.add(List.of(-1, -1));
                continue;
            }
            time = Math.max(time, ship.get(0));
            leave(berths, time);
            int position = lowestGap(quay, berths, length);
            while (position < 0) {
                time = berths.stream().mapToInt(Berth::leaves).min().orElseThrow();
                leave(berths, time);
                position = lowestGap(quay, berths, length);
            }
            berths.add(new Berth(position, position + length, time + ship.get(2)));
            plan.add(List.of(time, position));
        }
        return plan;
    }

    private static void leave(TreeSet<Berth> berths, int time) {
        berths.removeIf(berth -> berth.leaves() <= time);
    }

    private static int lowestGap(int quay, TreeSet<Berth> berths, int length) {
        int edge = 0;
        for (Berth berth : berths) {
            if (berth.position() - edge >= length) {
                return edge;
            }
            edge = berth.end();
        }
        return quay - edge >= length ? edge : -1;
    }
}
