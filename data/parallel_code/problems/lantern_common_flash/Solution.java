import java.util.List;

class Solution {
    public static long lanternCommonFlash(List<List<Integer>> lanterns) {
        long minute = lanterns.stream().mapToLong(lantern -> lantern.get(1)).max().orElse(0);
        long step = 1;
        for (List<Integer> lantern : lanterns) {
            int period = lantern.get(0);
            int first = lantern.get(1);
            int tries = 0;
            while ((minute - first) % period != 0) {
                if (++tries == period) {
                    return -1;
                }
                minute += step;
            }
            step *= period / gcd(step, period);
        }
        return minute;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
