import java.util.List;

class Solution {
    private record Oven(long warmUp, long period, long loaves) {
        long delivered(long minute) {
            return minute < warmUp ? 0 : (minute - warmUp) / period * loaves;
        }
    }

    public static int ovenReadyMinute(List<List<Integer>> ovens, int target) {
        if (target == 0) {
            return 0;
        }
        if (ovens.isEmpty()) {
            return -1;
        }
        List<Oven> all = ovens.stream().map(o -> new Oven(o.get(0), o.get(1), o.get(2))).toList();
        long tooEarly = 0;
        long enough = all.get(0).warmUp() + all.get(0).period() * target;
        while (enough - tooEarly > 1) {
            long middle = (tooEarly + enough) / 2;
            long total = all.stream().mapToLong(oven -> oven.delivered(middle)).sum();
            if (total >= target) {
                enough = middle;
            } else {
                tooEarly = middle;
            }
        }
        return (int) enough;
    }
}
