import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class Solution {
    public static String rootSystemCode(List<Integer> parents) {
        return code(parents, parents.indexOf(-1));
    }

    private static String code(List<Integer> parents, int branch) {
        return IntStream.range(0, parents.size())
                .filter(i -> parents.get(i) == branch)
                .mapToObj(i -> code(parents, i))
                .sorted()
                .collect(Collectors.joining("", "(", ")"));
    }
}
