import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class Solution {
    public static String braceletSignature(String beads) {
        String backwards = new StringBuilder(beads).reverse().toString();
        return Stream.of(beads, backwards)
            .flatMap(Solution::rotations)
            .min(Comparator.naturalOrder())
            .orElse("");
    }

    private static Stream<String> rotations(String way) {
        return IntStream.range(0, way.length())
            .mapToObj(i -> way.substring(i) + way.substring(0, i));
    }
}
