import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class Solution {
    private record Article(String name, int price) { }

    private final List<String> lines = new ArrayList<>();
    private final int width;

    private Solution(int width) {
        this.width = width;
    }

    public static List<String> marketReceiptLines(
            List<String> names, List<Integer> quantities, List<Integer> prices, int width, int paid) {
        Map<Article, Integer> basket = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            basket.merge(new Article(names.get(i), prices.get(i)), quantities.get(i), Integer::sum);
        }
        Solution receipt = new Solution(width);
        receipt.printSummary(receipt.printArticles(basket), paid);
        return receipt.lines;
    }

    private int printArticles(Map<Article, Integer> basket) {
        int sum = 0;
        for (Map.Entry<Article, Integer> entry : basket.entrySet()) {
            int quantity = entry.getValue();
            int price = entry.getKey().price();
            print(entry.getKey().name(), quantity * price);
            if (quantity > 1) {
                lines.add("  " + quantity + " x " + money(price));
            }
            sum += quantity * price;
        }
        lines.add("-".repeat(width));
        return sum;
    }

    private void printSummary(int sum, int paid) {
        int total = sum;
        if (sum >= 5000) {
            total -= sum / 20;
            print("SUBTOTAL", sum);
            print("DISCOUNT", total - sum);
        }
        print("TOTAL", total);
        print("PAID", paid);
        print(paid >= total ? "CHANGE" : "OWING", Math.abs(paid - total));
    }

    private void print(String text, int cents) {
        String amount = money(cents);
        int room = width - amount.length() - 1;
        String shown = text.substring(0, Math.min(room, text.length()));
        lines.add(shown + " ".repeat(width - shown.length() - amount.length()) + amount);
    }

    private static String money(int cents) {
        String sign = cents < 0 ? "-" : "";
        return String.format("%s%d.%02d", sign, Math.abs(cents) / 100, Math.abs(cents) % 100);
    }
}
