import java.awt.geom.Line2D;
import java.util.List;

class Solution {
    public static int cableCrossingPairs(List<List<Integer>> cables) {
        List<Line2D> lines = cables.stream().map(Solution::line).toList();
        int pairs = 0;
        for (int i = 0; i < lines.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (lines.get(i).intersectsLine(lines.get(j))) {
                    pairs++;
                }
            }
        }
        return pairs;
    }

    private static Line2D line(List<Integer> cable) {
        return new Line2D.Double(cable.get(0), cable.get(1), cable.get(2), cable.get(3));
    }
}
