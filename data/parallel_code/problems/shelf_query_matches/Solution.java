import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

class Solution {
    private static final Pattern TERM = Pattern.compile("(-?)(?:([a-z]+)([:=<>]))?(.+)");

    public static List<Integer> shelfQueryMatches(String query, List<Map<String, String>> items) {
        Predicate<Map<String, String>> wanted = Arrays.stream(query.split(" "))
            .filter(term -> !term.isEmpty())
            .map(Solution::parse)
            .reduce(item -> true, Predicate::and);
        return IntStream.range(0, items.size())
            .filter(i -> wanted.test(items.get(i)))
            .boxed()
            .toList();
    }

    private static Predicate<Map<String, String>> parse(String term) {
        Matcher parts = TERM.matcher(term);
        parts.matches();
        String field = parts.group(2);
        Predicate<String> test = valueTest(parts.group(3), parts.group(4));
        Predicate<Map<String, String>> result = field == null
            ? item -> item.values().stream().anyMatch(test)
            : item -> item.containsKey(field) && test.test(item.get(field));
        return parts.group(1).isEmpty() ? result : result.negate();
    }

    private static Predicate<String> valueTest(String sign, String text) {
        return switch (sign == null ? ":" : sign) {
            case "=" -> text::equals;
            case "<" -> value -> isWhole(value) && Long.parseLong(value) < Long.parseLong(text);
            case ">" -> value -> isWhole(value) && Long.parseLong(value) > Long.parseLong(text);
            default -> value -> value.toLowerCase().contains(text.toLowerCase());
        };
    }

    private static boolean isWhole(String value) {
        return value.matches("-?\\d+");
    }
}
