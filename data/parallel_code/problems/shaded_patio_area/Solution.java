import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

class Solution {
    private record Point(double x, double y) {
        Point towards(Point end, double share) {
            return new Point(x + share * (end.x - x), y + share * (end.y - y));
        }
    }

    public static double shadedPatioArea(List<List<Integer>> shadow, List<Integer> patio) {
        List<Point> corners = shadow.stream()
                .map(corner -> new Point(corner.get(0), corner.get(1)))
                .toList();
        corners = clip(corners, corner -> corner.x() - patio.get(0));
        corners = clip(corners, corner -> corner.y() - patio.get(1));
        corners = clip(corners, corner -> patio.get(2) - corner.x());
        corners = clip(corners, corner -> patio.get(3) - corner.y());
        double doubled = 0;
        for (int i = 0; i < corners.size(); i++) {
            Point here = corners.get(i);
            Point next = corners.get((i + 1) % corners.size());
            doubled += here.x() * next.y() - next.x() * here.y();
        }
        return Math.abs(doubled) / 2;
    }

    private static List<Point> clip(List<Point> corners, ToDoubleFunction<Point> depth) {
        List<Point> kept = new ArrayList<>();
        for (int i = 0; i < corners.size(); i++) {
            Point here = corners.get(i);
            Point next = corners.get((i + 1) % corners.size());
            double inside = depth.applyAsDouble(here);
            double nextInside = depth.applyAsDouble(next);
            if (inside >= 0) {
                kept.add(here);
            }
            if (inside * nextInside < 0) {
                kept.add(here.towards(next, inside / (inside - nextInside)));
            }
        }
        return kept;
    }
}
