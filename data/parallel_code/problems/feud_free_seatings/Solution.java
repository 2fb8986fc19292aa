import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

class Solution {
    public static List<List<String>> feudFreeSeatings(
            List<String> guests, List<List<String>> feuds) {
        List<List<String>> seatings = new ArrayList<>();
        extend(new ArrayList<>(), new TreeSet<>(guests), feuds, seatings);
        return seatings;
    }

    private static void extend(
            List<String> bench,
            Set<String> standing,
            List<List<String>> feuds,
            List<List<String>> found) {
        if (standing.isEmpty()) {
            found.add(List.copyOf(bench));
            return;
        }
        for (String guest : standing) {
            if (!bench.isEmpty() && hostile(bench.get(bench.size() - 1), guest, feuds)) {
                continue;
            }
            Set<String> others = new TreeSet<>(standing);
            others.remove(guest);
            bench.add(guest);
            extend(bench, others, feuds, found);
            bench.remove(bench.size() - 1);
        }
    }

    private static boolean hostile(String a, String b, List<List<String>> feuds) {
        return feuds.stream().anyMatch(feud -> feud.contains(a) && feud.contains(b));
    }
}
