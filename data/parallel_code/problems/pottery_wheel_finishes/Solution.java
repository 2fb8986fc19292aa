import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

class Solution {
    private record Turn(int potter, int need) {
    }

    public static List<Integer> potteryWheelFinishes(List<Integer> minutes, int turn) {
        Integer[] finishes = new Integer[minutes.size()];
        Arrays.fill(finishes, 0);
        Deque<Turn> queue = new ArrayDeque<>();
        for (int potter = 0; potter < finishes.length; potter++) {
            if (minutes.get(potter) > 0) {
                queue.add(new Turn(potter, minutes.get(potter)));
            }
        }
        int clock = 0;
        while (!queue.isEmpty()) {
            Turn next = queue.remove();
            if (next.need() > turn) {
                clock += turn;
                queue.add(new Turn(next.potter(), next.need() - turn));
            } else {
                clock += next.need();
                finishes[next.potter()] = clock;
            }
        }
        return Arrays.asList(finishes);
    }
}
