import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<String> barnGateStates(List<String> moves) {
        List<String> states = new ArrayList<>();
        String state = "shut";
        for (String move : moves) {
            state = switch (state + ":" + move) {
                case "shut:latch" -> "latched";
                case "shut:push" -> "open out";
                case "shut:pull" -> "open in";
                case "latched:unlatch", "open in:push", "open out:pull" -> "shut";
                default -> state;
            };
            states.add(state);
        }
        return states;
    }
}
