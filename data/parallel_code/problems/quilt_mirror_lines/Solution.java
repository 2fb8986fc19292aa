import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class Solution {
    public static int quiltMirrorLines(List<String> patches) {
        int width = patches.isEmpty() ? 0 : patches.get(0).length();
        Stream<String> columns = IntStream.range(0, width)
                .mapToObj(column -> patches.stream()
                        .map(row -> row.substring(column, column + 1))
                        .collect(Collectors.joining()));
        return (int) Stream.concat(patches.stream(), columns)
                .filter(line -> new StringBuilder(line).reverse().toString().equals(line))
                .count();
    }
}
