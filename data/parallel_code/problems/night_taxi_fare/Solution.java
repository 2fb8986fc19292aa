import java.util.List;

class Solution {
    public static int nightTaxiFare(List<List<Integer>> segments, boolean night) {
        int cruising = 0;
        int crawling = 0;
        for (List<Integer> segment : segments) {
            int metres = segment.get(0);
            int seconds = segment.get(1);
            if (metres < 5 * seconds) {
                crawling += seconds;
            } else {
                cruising += metres;
            }
        }
        int distance = ceilDiv(Math.max(cruising - 500, 0), 100);
        int fare = 320 + 20 * distance + 15 * ceilDiv(crawling, 20);
        return night ? 10 * ceilDiv(5 * fare, 40) : fare;
    }

    private static int ceilDiv(int value, int unit) {
        return (value + unit - 1) / unit;
    }
}
