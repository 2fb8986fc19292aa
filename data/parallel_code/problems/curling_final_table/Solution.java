import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

class Solution {
    private record Match(String home, String away, int margin) {
        int pointsFor(String team) {
            if (margin == 0) {
                return 1;
            }
            return team.equals(home) == margin > 0 ? 3 : 0;
        }
    }

    private static class Team {
        final String name;
        int points;
        int margin;
        int mutual;

        Team(String name) {
            this.name = name;
        }

        boolean levelWith(Team other) {
            return points == other.points && margin == other.margin;
        }
    }

    public static List<String> curlingFinalTable(
            List<String> homes, List<String> aways, List<List<Integer>> scores) {
        List<Match> matches = new ArrayList<>();
        Map<String, Team> teams = new HashMap<>();
        for (int i = 0; i < scores.size(); i++) {
            int margin = scores.get(i).get(0) - scores.get(i).get(1);
            Match match = new Match(homes.get(i), aways.get(i), margin);
            matches.add(match);
            Team home = teams.computeIfAbsent(match.home(), Team::new);
            Team away = teams.computeIfAbsent(match.away(), Team::new);
            home.margin += margin;
            away.margin -= margin;
            home.points += match.pointsFor(home.name);
            away.points += match.pointsFor(away.name);
        }
        for (Match match : matches) {
            Team home = teams.get(match.home());
            Team away = teams.get(match.away());
            if (home.levelWith(away)) {
                home.mutual += match.pointsFor(home.name);
                away.mutual += match.pointsFor(away.name);
            }
        }
        return teams.values().stream()
            .sorted(Comparator.comparingInt((Team team) -> -team.points)
                .thenComparingInt(team -> -team.margin)
                .thenComparingInt(team -> -team.mutual)
                .thenComparing(team -> team.name))
            .map(team -> team.name)
            .toList();
    }
}
