import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

class Solution {
    private record Pair(String first, String second) {
    }

    public static List<List<String>> coBorrowedTitles(List<List<String>> loans) {
        Map<Pair, Integer> together = new TreeMap<>(
            Comparator.comparing(Pair::first).thenComparing(Pair::second));
        int most = 2;
        for (List<String> loan : loans) {
            List<String> titles = new ArrayList<>(new TreeSet<>(loan));
            for (int i = 0; i < titles.size(); i++) {
                for (int j = i + 1; j < titles.size(); j++) {
                    Pair pair = new Pair(titles.get(i), titles.get(j));
                    most = Math.max(most, together.merge(pair, 1, Integer::sum));
                }
            }
        }
        List<List<String>> pairs = new ArrayList<>();
        for (Map.Entry<Pair, Integer> entry : together.entrySet()) {
            if (entry.getValue() == most) {
                pairs.add(List.of(entry.getKey().first(), entry.getKey().second()));
            }
        }
        return pairs;
    }
}
