import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

class Solution {
    public static List<List<Integer>> grazingPermitRanges(List<List<Integer>> entries) {
        TreeSet<Integer> edges = new TreeSet<>();
        for (List<Integer> entry : entries) {
            int kind = entry.get(0);
            int start = entry.get(1);
            int end = entry.get(2) + 1;
            if (kind != 2) {
                boolean permit = kind == 1;
                boolean before = edges.headSet(start, false).size() % 2 == 1;
                boolean after = edges.headSet(end, true).size() % 2 == 1;
                edges.subSet(start, true, end, true).clear();
                if (before != permit) {
                    edges.add(start);
                }
                if (after != permit) {
                    edges.add(end);
                }
            } else {
                toggle(edges, start);
                toggle(edges, end);
            }
        }
        List<List<Integer>> ranges = new ArrayList<>();
        Integer first = null;
        for (int edge : edges) {
            if (first == null) {
                first = edge;
            } else {
                ranges.add(List.of(first, edge - 1));
                first = null;
            }
        }
        return ranges;
    }

    private static void toggle(TreeSet<Integer> edges, int edge) {
        if (!edges.remove(edge)) {
            edges.add(edge);
        }
    }
}
