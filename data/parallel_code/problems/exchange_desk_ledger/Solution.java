import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Solution {
    private record Position(long held, long cost, long profit) {
        Position buy(long quantity, long amount) {
            return new Position(held + quantity, cost + amount, profit);
        }

        Position sell(long quantity, long amount) {
            long released = cost * quantity / held;
            return new Position(held - quantity, cost - released, profit + amount - released);
        }

        List<Integer> toList() {
            return List.of((int) held, (int) cost, (int) profit);
        }
    }

    public static Map<String, List<Integer>> exchangeDeskLedger(List<List<String>> trades) {
        Map<String, Position> positions = new HashMap<>();
        int rejected = 0;
        for (List<String> trade : trades) {
            String action = trade.get(0);
            String currency = trade.get(1);
            long quantity = Long.parseLong(trade.get(2));
            long amount = Long.parseLong(trade.get(3));
            Position position = positions.getOrDefault(currency, new Position(0, 0, 0));
            if (action.equals("buy") && quantity > 0) {
                positions.put(currency, position.buy(quantity, amount));
            } else if (action.equals("sell") && quantity > 0 && quantity <= position.held()) {
                positions.put(currency, position.sell(quantity, amount));
            } else {
                rejected++;
            }
        }
        Map<String, List<Integer>> ledger = new HashMap<>();
        positions.forEach((currency, position) -> ledger.put(currency, position.toList()));
        ledger.put("rejected", List.of(rejected));
        return ledger;
    }
}
