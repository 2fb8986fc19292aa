import java.util.List;

class Solution {
    private record Side(int x, int y) {
        static Side between(List<Integer> from, List<Integer> to) {
            return new Side(to.get(0) - from.get(0), to.get(1) - from.get(1));
        }

        int dot(Side other) {
            return x * other.x + y * other.y;
        }

        boolean isParallel(Side other) {
            return x * other.y == y * other.x;
        }
    }

    public static String gardenBedShape(List<List<Integer>> corners) {
        Side a = Side.between(corners.get(0), corners.get(1));
        Side b = Side.between(corners.get(1), corners.get(2));
        Side c = Side.between(corners.get(2), corners.get(3));
        Side d = Side.between(corners.get(3), corners.get(0));
        if (a.isParallel(c) && b.isParallel(d)) {
            boolean even = a.dot(a) == b.dot(b);
            if (a.dot(b) == 0) {
                return even ? "square" : "rectangle";
            }
            return even ? "rhombus" : "parallelogram";
        }
        return a.isParallel(c) || b.isParallel(d) ? "trapezium" : "irregular";
    }
}
