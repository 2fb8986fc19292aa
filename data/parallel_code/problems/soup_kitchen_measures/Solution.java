import java.util.List;

class Solution {
    private static final int TEASPOONS_PER_TABLESPOON = 3;
    private static final int TEASPOONS_PER_CUP = 16 * TEASPOONS_PER_TABLESPOON;

    public static List<Integer> soupKitchenMeasures(
            int cups, int tablespoons, int teaspoons, int serves, int wanted) {
        int amount = cups * TEASPOONS_PER_CUP + tablespoons * TEASPOONS_PER_TABLESPOON + teaspoons;
        int scaled = (2 * amount * wanted + serves) / (2 * serves);
        int rest = scaled % TEASPOONS_PER_CUP;
        return List.of(
                scaled / TEASPOONS_PER_CUP,
                rest / TEASPOONS_PER_TABLESPOON,
                rest % TEASPOONS_PER_TABLESPOON);
    }
}
