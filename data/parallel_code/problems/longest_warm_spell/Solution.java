import java.util.List;

class Solution {
    public static List<Integer> longestWarmSpell(List<Integer> nights, List<Integer> days, int floor) {
        int bestStart = -1;
        int bestLength = 0;
        int start = 0;
        for (int date = 0; date < nights.size(); date++) {
            if (nights.get(date) < floor || days.get(date) < floor) {
                start = date + 1;
            } else if (date - start + 1 > bestLength) {
                bestStart = start;
                bestLength = date - start + 1;
            }
        }
        return List.of(bestStart, bestLength);
    }
}
