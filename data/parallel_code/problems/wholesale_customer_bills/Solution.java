import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static Map<String, Long> wholesaleCustomerBills(
            List<String> customers, List<String> goods, List<Integer> units, Map<String, Integer> prices) {
        Map<String, Map<String, Integer>> ordered = new TreeMap<>();
        for (int i = 0; i < customers.size(); i++) {
            ordered.computeIfAbsent(customers.get(i), key -> new TreeMap<>())
                .merge(goods.get(i), units.get(i), Integer::sum);
        }
        Map<String, Long> bills = new TreeMap<>();
        ordered.forEach((customer, counts) -> {
            long owed = 0;
            for (Map.Entry<String, Integer> entry : counts.entrySet()) {
                int count = entry.getValue();
                long price = prices.getOrDefault(entry.getKey(), 0);
                owed += (count - count / 12) * price;
            }
            bills.put(customer, owed);
        });
        return bills;
    }
}
