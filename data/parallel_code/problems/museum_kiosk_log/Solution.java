import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

class Solution {
    private static final Set<String> COINS = Set.of("5", "10", "20", "50", "100");

    private final Map<String, Integer> prices;
    private final Map<String, Integer> stock;
    private int credit = 0;

    private Solution(Map<String, Integer> prices, Map<String, Integer> stock) {
        this.prices = prices;
        this.stock = new HashMap<>(stock);
    }

    public static List<String> museumKioskLog(
            Map<String, Integer> prices, Map<String, Integer> stock, List<String> events) {
        Solution kiosk = new Solution(prices, stock);
        return events.stream().map(kiosk::answer).toList();
    }

    private String answer(String event) {
        if (event.equals("cancel")) {
            int refund = credit;
            credit = 0;
            return "refund " + refund;
        }
        String[] words = event.split(" ");
        if (words.length != 2) {
            return "ignored";
        }
        return switch (words[0]) {
            case "coin" -> insert(words[1]);
            case "pick" -> sell(words[1]);
            default -> "ignored";
        };
    }

    private String insert(String value) {
        if (!COINS.contains(value)) {
            return "returned " + value;
        }
        credit += Integer.parseInt(value);
        return "credit " + credit;
    }

    private String sell(String souvenir) {
        if (!prices.containsKey(souvenir)) {
            return "unknown " + souvenir;
        }
        if (stock.getOrDefault(souvenir, 0) == 0) {
            return souvenir + " sold out";
        }
        int change = credit - prices.get(souvenir);
        if (change < 0) {
            return souvenir + " costs " + -change + " more";
        }
        stock.merge(souvenir, -1, Integer::sum);
        credit = 0;
        return souvenir + " with change " + change;
    }
}
