import java.util.List;
import java.util.TreeSet;

class Solution {
    private static final int DAY = 24 * 60;

    public static List<Integer> nextTramWaits(List<Integer> departures, List<Integer> arrivals) {
        TreeSet<Integer> board = new TreeSet<>(departures);
        if (!board.isEmpty()) {
            board.add(board.first() + DAY);
        }
        return arrivals.stream()
            .map(arrival -> board.isEmpty() ? -1 : board.ceiling(arrival) - arrival)
            .toList();
    }
}
