import java.util.List;

class Solution {
    public static int floorGroutCost(List<String> floor) {
        int cost = 0;
        for (int r = 0; r < floor.size(); r++) {
            String row = floor.get(r);
            for (int c = 0; c < row.length(); c++) {
                if (c > 0) {
                    cost += seam(row.charAt(c - 1), row.charAt(c));
                }
                if (r > 0) {
                    cost += seam(floor.get(r - 1).charAt(c), row.charAt(c));
                }
            }
        }
        return cost;
    }

    private static int seam(char a, char b) {
        if (a == b) {
            return 0;
        }
        return a == '.' || b == '.' ? 2 : 1;
    }
}
