import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static int kthLightestPair(List<Integer> weights, int k) {
        int size = weights.size();
        return IntStream.range(0, size)
            .flatMap(i -> IntStream.range(i + 1, size).map(j -> weights.get(i) + weights.get(j)))
            .sorted()
            .skip(k - 1)
            .findFirst()
            .orElse(-1);
    }
}
