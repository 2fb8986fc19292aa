import java.util.Comparator;
import java.util.List;

class Solution {
    public static List<String> customsQueueOrder(List<List<String>> travellers, List<String> precedence) {
        return travellers.stream()
            .sorted(Comparator.comparingInt(traveller -> rank(traveller.get(1), precedence)))
            .map(traveller -> traveller.get(0))
            .toList();
    }

    private static int rank(String passClass, List<String> precedence) {
        int place = precedence.indexOf(passClass);
        return place < 0 ? precedence.size() : place;
    }
}
