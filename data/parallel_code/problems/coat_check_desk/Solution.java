import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

class Solution {
    private final TreeSet<Integer> free = new TreeSet<>();
    private final Map<Integer, String> guests = new TreeMap<>();
    private final Map<String, Integer> hookOf = new HashMap<>();

    private Solution(int hooks) {
        for (int hook = 1; hook <= hooks; hook++) {
            free.add(hook);
        }
    }

    public static List<String> coatCheckDesk(int hooks, List<String> operations) {
        Solution desk = new Solution(hooks);
        return operations.stream().map(desk::answer).toList();
    }

    private String answer(String operation) {
        String[] words = operation.split(" ");
        return switch (words[0]) {
            case "in" -> bring(words[1]);
            case "out" -> fetch(words[1]);
            case "who" -> guests.getOrDefault(Integer.parseInt(words[1]), "free");
            default -> close();
        };
    }

    private String bring(String name) {
        if (hookOf.containsKey(name)) {
            return "already on " + hookOf.get(name);
        }
        Integer hook = free.pollFirst();
        if (hook == null) {
            return "full";
        }
        guests.put(hook, name);
        hookOf.put(name, hook);
        return "hook " + hook;
    }

    private String fetch(String name) {
        Integer hook = hookOf.remove(name);
        if (hook == null) {
            return "no coat";
        }
        guests.remove(hook);
        free.add(hook);
        return "from " + hook;
    }

    private String close() {
        String names = String.join(",", guests.values());
        free.addAll(guests.keySet());
        guests.clear();
        hookOf.clear();
        return names.isEmpty() ? "empty" : names;
    }
}
