import java.util.Map;
import java.util.regex.Pattern;

class Solution {
    private static final Pattern AMOUNT = Pattern.compile("(\\d+) *([a-z]+)");
    private static final Map<String, Integer> GRAMS = Map.of("g", 1, "kg", 1000, "sack", 25000);

    public static int flourOrderGrams(String order) {
        return AMOUNT.matcher(order)
            .results()
            .mapToInt(amount -> Integer.parseInt(amount.group(1)) * GRAMS.get(amount.group(2)))
            .sum();
    }
}
