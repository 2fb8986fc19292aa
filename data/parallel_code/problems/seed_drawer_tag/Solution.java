import java.util.Arrays;
import java.util.stream.Collectors;

class Solution {
    public static String seedDrawerTag(String name) {
        return Arrays.stream(name.split(" "))
            .filter(word -> !word.isEmpty())
            .map(Solution::abbreviate)
            .collect(Collectors.joining());
    }

    private static String abbreviate(String word) {
        String rest = word.substring(1, Math.min(3, word.length()));
        return Character.toUpperCase(word.charAt(0)) + rest.toLowerCase();
    }
}
