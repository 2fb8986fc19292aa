import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<List<Integer>> platePilesByWidth(List<Integer> plates) {
        List<List<Integer>> piles = new ArrayList<>();
        for (int plate : plates) {
            piles.stream()
                .filter(pile -> pile.get(pile.size() - 1) >= plate)
                .findFirst()
                .orElseGet(() -> openPile(piles))
                .add(plate);
        }
        return piles;
    }

    private static List<Integer> openPile(List<List<Integer>> piles) {
        List<Integer> pile = new ArrayList<>();
        piles.add(pile);
        return pile;
    }
}
