import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

class Solution {
    public static int rotaShiftMatch(List<String> printed, List<String> current) {
        List<String> turned = new ArrayList<>(printed);
        int moves = 0;
        do {
            if (turned.equals(current)) {
                return moves;
            }
            Collections.rotate(turned, -1);
            moves++;
        } while (moves < turned.size());
        return -1;
    }
}
