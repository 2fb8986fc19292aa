import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    private record Pigeon(String kind, String left, int faults, int strays) {
        static final Pigeon UNSEEN = new Pigeon("", "", 0, 0);

        Pigeon after(String next, String loft) {
            if (next.equals(kind)) {
                return new Pigeon(kind, left, faults + 1, strays);
            }
            if (next.equals("out")) {
                return new Pigeon(next, loft, faults, strays);
            }
            boolean strayed = away() && !loft.equals(left);
            return new Pigeon(next, left, faults, strayed ? strays + 1 : strays);
        }

        boolean away() {
            return kind.equals("out");
        }

        boolean suspicious() {
            return away() || faults > 0 || strays > 0;
        }
    }

    public static List<String> pigeonRingAudit(List<String> rings, List<String> kinds, List<String> lofts) {
        Map<String, Pigeon> pigeons = new TreeMap<>();
        for (int i = 0; i < rings.size(); i++) {
            Pigeon before = pigeons.getOrDefault(rings.get(i), Pigeon.UNSEEN);
            pigeons.put(rings.get(i), before.after(kinds.get(i), lofts.get(i)));
        }
        List<String> lines = new ArrayList<>();
        pigeons.forEach((ring, pigeon) -> {
            if (pigeon.suspicious()) {
                lines.add(String.format("%s: %d faults, %d strays, %s",
                    ring, pigeon.faults(), pigeon.strays(), pigeon.away() ? "away" : "home"));
            }
        });
        return lines;
    }
}
