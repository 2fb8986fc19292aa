import java.util.List;

class Solution {
    public static long lampRowPatterns(int lamps, List<Integer> runs) {
        long[] endingDark = new long[lamps + 2];
        endingDark[0] = 1;
        for (int length = 1; length <= lamps + 1; length++) {
            endingDark[length] = endingDark[length - 1];
            for (int run : runs) {
                if (run < length) {
                    endingDark[length] += endingDark[length - run - 1];
                }
            }
        }
        return endingDark[lamps + 1];
    }
}
