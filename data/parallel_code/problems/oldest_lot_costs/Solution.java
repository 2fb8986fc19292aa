import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    private static class Lot {
        int units;
        final int price;

        Lot(int units, int price) {
            this.units = units;
            this.price = price;
        }
    }

    private static class Stock {
        final Deque<Lot> lots = new ArrayDeque<>();
        int sold;
        int refused;

        void sell(int wanted) {
            while (wanted > 0 && !lots.isEmpty()) {
                Lot oldest = lots.peekFirst();
                int taken = Math.min(oldest.units, wanted);
                oldest.units -= taken;
                wanted -= taken;
                sold += taken * oldest.price;
                if (oldest.units == 0) {
                    lots.removeFirst();
                }
            }
            refused += wanted;
        }

        List<Integer> summary() {
            int left = lots.stream().mapToInt(lot -> lot.units * lot.price).sum();
            return List.of(sold, left, refused);
        }
    }

    public static Map<String, List<Integer>> oldestLotCosts(
            List<String> goods, List<Integer> units, List<Integer> prices) {
        Map<String, Stock> cellar = new TreeMap<>();
        for (int i = 0; i < goods.size(); i++) {
            Stock stock = cellar.computeIfAbsent(goods.get(i), key -> new Stock());
            int count = units.get(i);
            if (count > 0) {
                stock.lots.addLast(new Lot(count, prices.get(i)));
            } else {
                stock.sell(-count);
            }
        }
        Map<String, List<Integer>> costs = new TreeMap<>();
        cellar.forEach((good, stock) -> costs.put(good, stock.summary()));
        return costs;
    }
}
