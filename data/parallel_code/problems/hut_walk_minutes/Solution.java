import java.util.List;

class Solution {
    public static int hutWalkMinutes(List<List<Integer>> legs) {
        int thousandths = 0;
        for (List<Integer> leg : legs) {
            thousandths += 12 * leg.get(0) + 100 * Math.max(leg.get(1), 0);
        }
        return (thousandths + 999) / 1000;
    }
}
