import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static Map<String, Integer> jamShoppingList(
            Map<String, Integer> recipe, int batches, Map<String, Integer> pantry) {
        Map<String, Integer> shopping = new TreeMap<>();
        recipe.forEach((item, amount) -> {
            int missing = amount * batches - pantry.getOrDefault(item, 0);
            if (missing > 0) {
                shopping.put(item, missing);
            }
        });
        return shopping;
    }
}
