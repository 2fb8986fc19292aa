import java.util.ArrayList;
import java.util.List;

class Solution {
    private final List<String> roll;
    private final int limit;
    private final List<Integer> notes = new ArrayList<>();
    private int base = 60;

    private Solution(List<String> roll, int limit) {
        this.roll = roll;
        this.limit = limit;
    }

    public static List<Integer> pianoRollNotes(List<String> roll, int limit) {
        Solution piano = new Solution(roll, limit);
        piano.perform(0, roll.size());
        return piano.notes;
    }

    private void perform(int start, int stop) {
        for (int place = start; place < stop && notes.size() < limit; place++) {
            String[] words = roll.get(place).split(" ");
            int number = words.length > 1 ? Integer.parseInt(words[1]) : 0;
            switch (words[0]) {
                case "play" -> notes.add(base + number);
                case "rest" -> notes.add(-1);
                case "shift" -> base += number;
                case "home" -> base = 60;
                case "repeat" -> {
                    int end = endOfBlock(place);
                    for (int round = 0; round < number; round++) {
                        perform(place + 1, end);
                    }
                    place = end;
                }
                default -> throw new IllegalArgumentException(roll.get(place));
            }
        }
    }

    private int endOfBlock(int start) {
        int place = start;
        int depth = 1;
        while (depth > 0) {
            place++;
            if (roll.get(place).equals("end")) {
                depth--;
            } else if (roll.get(place).startsWith("repeat")) {
                depth++;
            }
        }
        return place;
    }
}
