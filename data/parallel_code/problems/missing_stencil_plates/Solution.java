import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static String missingStencilPlates(List<String> marks, String plates) {
        Map<Character, Integer> needed = new TreeMap<>();
        for (char c : String.join("", marks).toCharArray()) {
            needed.merge(c, 1, Integer::sum);
        }
        for (char c : plates.toCharArray()) {
            needed.merge(c, -1, Integer::sum);
        }
        needed.remove(' ');
        StringBuilder toBuy = new StringBuilder();
        needed.forEach((c, count) -> toBuy.append(String.valueOf(c).repeat(Math.max(0, count))));
        return toBuy.toString();
    }
}
