import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

class Solution {
    public static List<List<Integer>> ropeAroundPosts(List<List<Integer>> posts) {
        Comparator<List<Integer>> byX = Comparator.comparing(post -> post.get(0));
        List<List<Integer>> points = posts.stream()
                .distinct()
                .sorted(byX.thenComparing(post -> post.get(1)))
                .toList();
        if (points.size() < 2) {
            return points;
        }
        List<List<Integer>> rope = new ArrayList<>();
        for (List<Integer> point : points) {
            pull(rope, point, 0);
        }
        int lower = rope.size() - 1;
        for (int i = points.size() - 2; i >= 0; i--) {
            pull(rope, points.get(i), lower);
        }
        rope.remove(rope.size() - 1);
        return rope;
    }

    private static void pull(List<List<Integer>> rope, List<Integer> point, int start) {
        int last = rope.size() - 1;
        while (last > start && turn(rope.get(last - 1), rope.get(last), point) <= 0) {
            rope.remove(last);
            last--;
        }
        rope.add(point);
    }

    private static int turn(List<Integer> a, List<Integer> b, List<Integer> c) {
        int abX = b.get(0) - a.get(0);
        int abY = b.get(1) - a.get(1);
        return abX * (c.get(1) - a.get(1)) - abY * (c.get(0) - a.get(0));
    }
}
