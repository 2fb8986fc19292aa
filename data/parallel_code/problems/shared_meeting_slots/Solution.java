import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

class Solution {
    public static List<List<Integer>> sharedMeetingSlots(
            List<List<List<Integer>>> calendars, int opening, int closing, int minimum) {
        List<List<Integer>> busy = calendars.stream()
            .flatMap(List::stream)
            .filter(span -> span.get(0) < closing && span.get(1) > opening)
            .sorted(Comparator.comparing((List<Integer> span) -> span.get(0)))
            .toList();
        List<List<Integer>> slots = new ArrayList<>();
        int freeFrom = opening;
        for (List<Integer> span : busy) {
            addSlot(slots, freeFrom, span.get(0), minimum);
            freeFrom = Math.max(freeFrom, span.get(1));
        }
        addSlot(slots, freeFrom, closing, minimum);
        return slots;
    }

    private static void addSlot(List<List<Integer>> slots, int start, int end, int minimum) {
        if (end - start >= minimum) {
            slots.add(List.of(start, end));
        }
    }
}
