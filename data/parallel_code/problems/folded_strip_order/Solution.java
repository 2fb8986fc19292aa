import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

class Solution {
    public static List<Integer> foldedStripOrder(int panels, String folds) {
        List<List<Integer>> piles = new ArrayList<>();
        for (int number = 1; number <= panels; number++) {
            piles.add(List.of(number));
        }
        return fold(piles, folds);
    }

    private static List<Integer> fold(List<List<Integer>> piles, String folds) {
        if (folds.isEmpty()) {
            return piles.get(0);
        }
        int half = piles.size() / 2;
        List<List<Integer>> left = piles.subList(0, half);
        List<List<Integer>> right = piles.subList(half, piles.size());
        boolean fromLeft = folds.charAt(0) == 'L';
        List<List<Integer>> over = fromLeft ? left : right;
        List<List<Integer>> under = fromLeft ? right : left;
        List<List<Integer>> folded = new ArrayList<>();
        for (int i = 0; i < half; i++) {
            List<Integer> pile = new ArrayList<>(over.get(half - 1 - i));
            Collections.reverse(pile);
            pile.addAll(under.get(i));
            folded.add(pile);
        }
        return fold(folded, folds.substring(1));
    }
}
