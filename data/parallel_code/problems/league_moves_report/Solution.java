import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static Map<String, List<String>> leagueMovesReport(List<String> before, List<String> after) {
        Map<String, List<String>> report = new TreeMap<>();
        for (String heading : List.of("up", "down", "same", "new", "gone")) {
            report.put(heading, new ArrayList<>());
        }
        for (int place = 0; place < after.size(); place++) {
            String player = after.get(place);
            int former = before.indexOf(player);
            report.get(heading(former, place)).add(player);
        }
        Comparator<String> byChange = Comparator.comparingInt(
            player -> -Math.abs(before.indexOf(player) - after.indexOf(player)));
        report.get("up").sort(byChange);
        report.get("down").sort(byChange);
        for (String player : before) {
            if (!after.contains(player)) {
                report.get("gone").add(player);
            }
        }
        return report;
    }

    private static String heading(int former, int place) {
        if (former < 0) {
            return "new";
        }
        if (former == place) {
            return "same";
        }
        return former > place ? "up" : "down";
    }
}
