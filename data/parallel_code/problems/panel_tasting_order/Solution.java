import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Solution {
    private record Score(String cheese, int points, int firsts) {
        Score plus(int earned, boolean first) {
            return new Score(cheese, points + earned, first ? firsts + 1 : firsts);
        }
    }

    public static List<String> panelTastingOrder(List<List<String>> rankings) {
        Map<String, Score> scores = new HashMap<>();
        for (List<String> ranking : rankings) {
            for (int place = 0; place < ranking.size(); place++) {
                String cheese = ranking.get(place);
                Score before = scores.getOrDefault(cheese, new Score(cheese, 0, 0));
                scores.put(cheese, before.plus(ranking.size() - place, place == 0));
            }
        }
        return scores.values().stream()
            .sorted(Comparator.comparingInt(Score::points).reversed()
                .thenComparing(Comparator.comparingInt(Score::firsts).reversed())
                .thenComparing(Score::cheese))
            .map(Score::cheese)
            .toList();
    }
}
