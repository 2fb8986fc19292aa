import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

class Solution {
    public static List<String> stampColourPodium(List<String> colours, int places) {
        Map<String, Long> counts = colours.stream()
            .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .limit(places)
            .map(Map.Entry::getKey)
            .toList();
    }
}
