import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> unpackSensorWord(int word, List<Integer> widths) {
        List<Integer> readings = new ArrayList<>();
        int left = word;
        for (int width : widths) {
            readings.add(left & (1 << width) - 1);
            left >>= width;
        }
        readings.add(left);
        return readings;
    }
}
