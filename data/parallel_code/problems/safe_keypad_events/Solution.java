import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<String> safeKeypadEvents(String code, String keys, int penalty) {
        List<String> events = new ArrayList<>();
        StringBuilder typed = new StringBuilder();
        boolean open = false;
        int tries = 0;
        for (int i = 0; i < keys.length(); i++) {
            char key = keys.charAt(i);
            if (open) {
                if (key == 'C') {
                    open = false;
                    events.add("shut");
                }
            } else if (Character.isDigit(key)) {
                typed.append(key);
            } else {
                if (key == '#') {
                    open = typed.toString().equals(code);
                    tries = open ? 0 : tries + 1;
                    events.add(open ? "open" : tries < 3 ? "wrong" : "alarm");
                }
                typed.setLength(0);
                if (tries == 3) {
                    tries = 0;
                    i += penalty;
                }
            }
        }
        return events;
    }
}
