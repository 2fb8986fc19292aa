import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

class Solution {
    private final String wagons;
    private final int capacity;
    private final Deque<Character> siding = new ArrayDeque<>();
    private final StringBuilder departed = new StringBuilder();
    private final Set<String> orders = new TreeSet<>();

    private Solution(String wagons, int capacity) {
        this.wagons = wagons;
        this.capacity = capacity;
    }

    public static List<String> sidingDepartureOrders(String wagons, int capacity) {
        Solution search = new Solution(wagons, capacity);
        search.explore(0);
        return List.copyOf(search.orders);
    }

    private void explore(int arrived) {
        if (departed.length() == wagons.length()) {
            orders.add(departed.toString());
            return;
        }
        if (arrived < wagons.length() && siding.size() < capacity) {
            siding.push(wagons.charAt(arrived));
            explore(arrived + 1);
            siding.pop();
        }
        if (!siding.isEmpty()) {
            char wagon = siding.pop();
            departed.append(wagon);
            explore(arrived);
            departed.setLength(departed.length() - 1);
            siding.push(wagon);
        }
    }
}
