import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class Solution {
    private static final Pattern WORD = Pattern.compile("[A-Za-z]+");

    public static String redactVisitorLog(String text, List<String> names) {
        Set<String> hidden = names.stream().map(String::toLowerCase).collect(Collectors.toSet());
        return WORD.matcher(text).replaceAll(match -> {
            String word = match.group();
            if (!hidden.contains(word.toLowerCase())) {
                return word;
            }
            return word.charAt(0) + "*".repeat(word.length() - 1);
        });
    }
}
