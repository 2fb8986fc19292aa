import java.util.Map;
import java.util.stream.Collectors;

class Solution {
    public static Map<String, Double> aislePriceDrift(
            Map<String, Double> old, Map<String, Double> current, Map<String, String> aisles) {
        return aisles.entrySet().stream()
            .filter(entry -> old.containsKey(entry.getKey()) && current.containsKey(entry.getKey()))
            .collect(Collectors.groupingBy(
                Map.Entry::getValue,
                Collectors.averagingDouble(entry -> current.get(entry.getKey()) - old.get(entry.getKey()))));
    }
}
