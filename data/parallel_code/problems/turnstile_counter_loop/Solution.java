import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Solution {
    public static List<Integer> turnstileCounterLoop(int start, int multiplier, int modulus) {
        Map<Long, Integer> firstShown = new HashMap<>();
        long shown = start;
        while (!firstShown.containsKey(shown)) {
            firstShown.put(shown, firstShown.size());
            long reversed = Long.parseLong(new StringBuilder().append(shown).reverse().toString());
            shown = (multiplier * shown + reversed) % modulus;
        }
        int tail = firstShown.get(shown);
        return List.of(tail, firstShown.size() - tail);
    }
}
