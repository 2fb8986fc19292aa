import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.IntStream;

class Solution {
    private static final Map<String, Function<List<Integer>, OptionalInt>> RULES =
            new LinkedHashMap<>();

    static {
        RULES.put("steady", Solution::steady);
        RULES.put("scaled", Solution::scaled);
        RULES.put("summed", Solution::summed);
        RULES.put("curved", Solution::curved);
        RULES.put("woven", Solution::woven);
    }

    public static String seedRowForecast(List<Integer> counts) {
        if (counts.size() < 3) {
            return "unknown";
        }
        for (Map.Entry<String, Function<List<Integer>, OptionalInt>> rule : RULES.entrySet()) {
            OptionalInt following = rule.getValue().apply(counts);
            if (following.isPresent()) {
                return rule.getKey() + " " + following.getAsInt();
            }
        }
        return "irregular";
    }

    private static List<Integer> differences(List<Integer> counts) {
        return IntStream.range(1, counts.size())
                .mapToObj(i -> counts.get(i) - counts.get(i - 1))
                .toList();
    }

    private static OptionalInt steady(List<Integer> counts) {
        List<Integer> steps = differences(counts).stream().distinct().toList();
        if (steps.size() != 1) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(last(counts) + steps.get(0));
    }

    private static OptionalInt scaled(List<Integer> counts) {
        long first = counts.get(0);
        long second = counts.get(1);
        boolean fits = first != 0
                && last(counts) * second % first == 0
                && IntStream.range(1, counts.size())
                        .allMatch(i -> counts.get(i) * first == counts.get(i - 1) * second);
        return fits ? OptionalInt.of((int) (last(counts) * second / first)) : OptionalInt.empty();
    }

    private static OptionalInt summed(List<Integer> counts) {
        int size = counts.size();
        boolean fits = size >= 4
                && IntStream.range(2, size)
                        .allMatch(i -> counts.get(i - 2) + counts.get(i - 1) == counts.get(i));
        return fits ? OptionalInt.of(counts.get(size - 2) + last(counts)) : OptionalInt.empty();
    }

    private static OptionalInt curved(List<Integer> counts) {
        OptionalInt step = counts.size() < 4 ? OptionalInt.empty() : steady(differences(counts));
        return step.isPresent() ? OptionalInt.of(last(counts) + step.getAsInt()) : step;
    }

    private static OptionalInt woven(List<Integer> counts) {
        if (counts.size() < 5) {
            return OptionalInt.empty();
        }
        List<Integer> own = new ArrayList<>();
        List<Integer> other = new ArrayList<>();
        for (int i = 0; i < counts.size(); i++) {
            (i % 2 == counts.size() % 2 ? own : other).add(counts.get(i));
        }
        return steady(other).isPresent() ? steady(own) : OptionalInt.empty();
    }

    private static int last(List<Integer> counts) {
        return counts.get(counts.size() - 1);
    }
}
