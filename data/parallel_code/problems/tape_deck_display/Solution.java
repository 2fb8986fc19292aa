import java.util.ArrayList;
import java.util.List;

class Solution {
    private enum Mode { STOP, PLAY, REC, PAUSE }

    public static List<String> tapeDeckDisplay(List<String> commands, int length) {
        List<String> displays = new ArrayList<>();
        Mode mode = Mode.STOP;
        Mode resume = Mode.STOP;
        int position = 0;
        for (String command : commands) {
            boolean running = mode == Mode.PLAY || mode == Mode.REC;
            String[] words = command.split(" ");
            switch (words[0]) {
                case "play" -> mode = running || position == length ? mode : Mode.PLAY;
                case "record" -> mode = mode == Mode.STOP && position < length ? Mode.REC : mode;
                case "pause" -> {
                    Mode before = mode;
                    mode = running ? Mode.PAUSE : mode == Mode.PAUSE ? resume : mode;
                    resume = running ? before : resume;
                }
                case "stop" -> mode = Mode.STOP;
                case "rewind" -> position = mode == Mode.STOP ? 0 : position;
                default -> {
                    position = running ? Math.min(length, position + Integer.parseInt(words[1])) : position;
                    mode = running && position == length ? Mode.STOP : mode;
                }
            }
            displays.add(String.format("%s %04d", mode, position));
        }
        return displays;
    }
}
