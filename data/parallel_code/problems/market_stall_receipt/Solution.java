import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static List<String> marketStallReceipt(
            List<String> basket, Map<String, Integer> prices, Map<String, List<Integer>> offers) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String good : basket) {
            counts.merge(good, 1, Integer::sum);
        }
        List<String> lines = new ArrayList<>();
        List<String> unsold = new ArrayList<>();
        int total = 0;
        int saved = 0;
        for (Map.Entry<String, Integer> entry : counts.entrySet()) {
            String good = entry.getKey();
            Integer price = prices.get(good);
            if (price == null) {
                unsold.add(good);
                continue;
            }
            int units = entry.getValue();
            List<Integer> offer = offers.getOrDefault(good, List.of(1, price));
            int cost = units / offer.get(0) * offer.get(1) + units % offer.get(0) * price;
            lines.add(good + " x" + units + " " + cost);
            total += cost;
            saved += units * price - cost;
        }
        if (saved > 0) {
            lines.add("saved " + saved);
        }
        lines.add("total " + total);
        if (!unsold.isEmpty()) {
            lines.add("not sold: " + String.join(", ", unsold));
        }
        return lines;
    }
}
