import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

class Solution {
    public static String rivalClubCoaches(int clubs, List<List<Integer>> rivals) {
        char[] coach = new char[clubs];
        Arrays.fill(coach, '?');
        for (int first = 0; first < clubs; first++) {
            if (coach[first] != '?') {
                continue;
            }
            coach[first] = 'A';
            Deque<Integer> queue = new ArrayDeque<>(List.of(first));
            while (!queue.isEmpty()) {
                int club = queue.remove();
                for (List<Integer> pair : rivals) {
                    if (!pair.contains(club)) {
                        continue;
                    }
                    int foe = pair.get(0) == club ? pair.get(1) : pair.get(0);
                    if (coach[foe] == coach[club]) {
                        return "";
                    }
                    if (coach[foe] == '?') {
                        coach[foe] = coach[club] == 'A' ? 'B' : 'A';
                        queue.add(foe);
                    }
                }
            }
        }
        return new String(coach);
    }
}
