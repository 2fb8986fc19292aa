import java.util.List;

class Solution {
    public static int evenBookcaseCut(List<Integer> thicknesses) {
        int total = thicknesses.stream().mapToInt(Integer::intValue).sum();
        int best = 0;
        int smallest = total;
        int left = 0;
        for (int i = 0; i < thicknesses.size(); i++) {
            left += thicknesses.get(i);
            int difference = Math.abs(total - 2 * left);
            if (difference < smallest) {
                smallest = difference;
                best = i + 1;
            }
        }
        return best;
    }
}
