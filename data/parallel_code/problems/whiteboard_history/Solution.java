import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

class Solution {
    public static List<String> whiteboardHistory(List<String> operations) {
        Deque<String> past = new ArrayDeque<>(List.of(""));
        Deque<String> future = new ArrayDeque<>();
        String noted = "";
        List<String> shown = new ArrayList<>();
        for (String operation : operations) {
            String[] words = operation.split(" ", 2);
            String text = past.peek();
            String edited = switch (words[0]) {
                case "write" -> text + words[1];
                case "wipe" -> text.substring(0, Math.max(0, text.length() - Integer.parseInt(words[1])));
                case "recall" -> noted;
                default -> text;
            };
            if (!edited.equals(text)) {
                past.push(edited);
                future.clear();
            } else if (words[0].equals("note")) {
                noted = text;
            } else if (words[0].equals("undo") && past.size() > 1) {
                future.push(past.pop());
            } else if (words[0].equals("redo") && !future.isEmpty()) {
                past.push(future.pop());
            }
            shown.add(past.peek());
        }
        return shown;
    }
}
