import java.util.List;

class Solution {
    public static double paddockFenceLength(List<List<Integer>> posts) {
        double length = 0;
        for (int i = 0; i < posts.size(); i++) {
            List<Integer> from = posts.get(i);
            List<Integer> to = posts.get((i + 1) % posts.size());
            length += Math.hypot(to.get(0) - from.get(0), to.get(1) - from.get(1));
        }
        return length;
    }
}
