import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

class Solution {
    private record Link(int island, int number) {
    }

    private final List<List<Link>> links = new ArrayList<>();
    private final List<List<Integer>> critical = new ArrayList<>();
    private final int[] found;
    private final int[] lowest;
    private int clock = 0;

    private Solution(int islands, List<List<Integer>> walkways) {
        found = new int[islands];
        lowest = new int[islands];
        for (int island = 0; island < islands; island++) {
            links.add(new ArrayList<>());
        }
        for (int number = 0; number < walkways.size(); number++) {
            int a = walkways.get(number).get(0);
            int b = walkways.get(number).get(1);
            links.get(a).add(new Link(b, number));
            links.get(b).add(new Link(a, number));
        }
    }

    public static List<List<Integer>> criticalWalkways(int islands, List<List<Integer>> walkways) {
        Solution lake = new Solution(islands, walkways);
        for (int island = 0; island < islands; island++) {
            if (lake.found[island] == 0) {
                lake.explore(island, -1);
            }
        }
        Comparator<List<Integer>> byLower = Comparator.comparing(pair -> pair.get(0));
        lake.critical.sort(byLower.thenComparing(pair -> pair.get(1)));
        return lake.critical;
    }

    private void explore(int island, int arrivedBy) {
        clock++;
        found[island] = clock;
        lowest[island] = clock;
        for (Link link : links.get(island)) {
            if (link.number() == arrivedBy) {
                continue;
            }
            int neighbour = link.island();
            if (found[neighbour] > 0) {
                lowest[island] = Math.min(lowest[island], found[neighbour]);
                continue;
            }
            explore(neighbour, link.number());
            lowest[island] = Math.min(lowest[island], lowest[neighbour]);
            if (lowest[neighbour] > found[island]) {
                critical.add(List.of(Math.min(island, neighbour), Math.max(island, neighbour)));
            }
        }
    }
}
