import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static List<Integer> applePassingCircle(List<Integer> apples, int rounds) {
        int children = apples.size();
        List<Integer> held = apples;
        for (int round = 0; round < rounds; round++) {
            List<Integer> before = held;
            held = IntStream.range(0, children)
                    .map(i -> (before.get(i) + 1) / 2 + before.get((i + children - 1) % children) / 2)
                    .boxed()
                    .toList();
        }
        return held;
    }
}
