import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static int nearestSharedForeman(List<Integer> foremen, int first, int second) {
        return chain(foremen, first)
                .filter(worker -> chain(foremen, second).anyMatch(other -> other == worker))
                .findFirst()
                .orElse(-1);
    }

    private static IntStream chain(List<Integer> foremen, int worker) {
        return IntStream.iterate(worker, w -> w >= 0, foremen::get);
    }
}
