import java.util.regex.Pattern;

class Solution {
    private static final Pattern TAIL = Pattern.compile("(?i)[aeiou]+[^aeiou ]*(?= |$)");

    public static String choirEchoWords(String line) {
        return TAIL.matcher(line)
            .replaceAll(tail -> tail.group() + "(" + tail.group().toLowerCase() + ")");
    }
}
