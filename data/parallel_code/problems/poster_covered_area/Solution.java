import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static int posterCoveredArea(List<List<Integer>> posters) {
        int[] xs = edges(posters, 0, 2);
        int[] ys = edges(posters, 1, 3);
        int area = 0;
        for (int i = 1; i < xs.length; i++) {
            for (int j = 1; j < ys.length; j++) {
                int left = xs[i - 1];
                int right = xs[i];
                int bottom = ys[j - 1];
                int top = ys[j];
                boolean covered = posters.stream().anyMatch(poster ->
                        poster.get(0) <= left && poster.get(1) <= bottom
                                && poster.get(2) >= right && poster.get(3) >= top);
                if (covered) {
                    area += (right - left) * (top - bottom);
                }
            }
        }
        return area;
    }

    private static int[] edges(List<List<Integer>> posters, int low, int high) {
        return posters.stream()
                .flatMapToInt(poster -> IntStream.of(poster.get(low), poster.get(high)))
                .distinct()
                .sorted()
                .toArray();
    }
}
