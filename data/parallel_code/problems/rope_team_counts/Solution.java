import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static List<Integer> ropeTeamCounts(int climbers, List<List<Integer>> ties) {
        int[] team = IntStream.range(0, climbers).toArray();
        return ties.stream()
                .map(tie -> {
                    int kept = team[tie.get(0)];
                    int joined = team[tie.get(1)];
                    for (int i = 0; i < climbers; i++) {
                        if (team[i] == joined) {
                            team[i] = kept;
                        }
                    }
                    return (int) IntStream.of(team).distinct().count();
                })
                .toList();
    }
}
