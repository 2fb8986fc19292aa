import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Solution {
    public static List<Integer> gearExpansionPeriod(int teeth, int base) {
        Map<Integer, Integer> firstSeen = new HashMap<>();
        int remainder = 1 % teeth;
        int digits = 0;
        while (remainder != 0 && !firstSeen.containsKey(remainder)) {
            firstSeen.put(remainder, digits++);
            remainder = remainder * base % teeth;
        }
        if (remainder == 0) {
            return List.of(digits, 0);
        }
        int lead = firstSeen.get(remainder);
        return List.of(lead, digits - lead);
    }
}
