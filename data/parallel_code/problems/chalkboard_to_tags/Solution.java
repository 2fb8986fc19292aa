import java.util.ArrayDeque;
import java.util.Deque;

class Solution {
    private static final String MARKS = "*_~";
    private static final String TAGS = "bus";

    public static String chalkboardToTags(String text) {
        StringBuilder output = new StringBuilder();
        Deque<Character> open = new ArrayDeque<>();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int mark = MARKS.indexOf(c);
            if (c == '\\' && i + 1 < text.length()) {
                output.append(text.charAt(++i));
            } else if (mark < 0) {
                output.append(c);
            } else if (open.contains(TAGS.charAt(mark))) {
                close(open, TAGS.charAt(mark), output);
            } else {
                open.push(TAGS.charAt(mark));
                output.append('<').append(TAGS.charAt(mark)).append('>');
            }
        }
        if (!open.isEmpty()) {
            close(open, open.peekLast(), output);
        }
        return output.toString();
    }

    private static void close(Deque<Character> open, char tag, StringBuilder output) {
        char closed;
        do {
            closed = open.pop();
            output.append("</").append(closed).append('>');
        } while (closed != tag);
    }
}
