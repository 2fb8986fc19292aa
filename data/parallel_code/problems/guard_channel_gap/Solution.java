import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

class Solution {
    public static List<Integer> guardChannelGap(int low, int high) {
        int start = Math.max(low, 2);
        if (high < start) {
            return List.of();
        }
        BitSet composite = new BitSet(high - start + 1);
        for (int prime : primesUpTo((int) Math.sqrt(high))) {
            long first = Math.max(prime, ((long) start + prime - 1) / prime) * prime;
            for (long multiple = first; multiple <= high; multiple += prime) {
                composite.set((int) (multiple - start));
            }
        }
        List<Integer> widest = List.of();
        int widestGap = 0;
        int previous = -1;
        int span = high - start;
        for (int i = composite.nextClearBit(0); i <= span; i = composite.nextClearBit(i + 1)) {
            int guard = start + i;
            if (previous > 0 && guard - previous > widestGap) {
                widestGap = guard - previous;
                widest = List.of(previous, guard);
            }
            previous = guard;
        }
        return widest;
    }

    private static List<Integer> primesUpTo(int limit) {
        List<Integer> primes = new ArrayList<>();
        BitSet composite = new BitSet(limit + 1);
        for (int n = composite.nextClearBit(2); n <= limit; n = composite.nextClearBit(n + 1)) {
            primes.add(n);
            for (long multiple = (long) n * n; multiple <= limit; multiple += n) {
                composite.set((int) multiple);
            }
        }
        return primes;
    }
}
