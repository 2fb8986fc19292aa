import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class Solution {
    public static List<List<Integer>> repairBenchSchedule(List<List<Integer>> jobs, int benches) {
        List<Integer> waiting = IntStream.range(0, jobs.size())
            .boxed()
            .sorted(Comparator.comparingInt((Integer job) -> -jobs.get(job).get(2))
                .thenComparingInt(job -> jobs.get(job).get(0)))
            .collect(Collectors.toCollection(ArrayList::new));
        int[] freeFrom = new int[benches];
        List<List<Integer>> plan = new ArrayList<>(jobs);
        for (int minute = 0; !waiting.isEmpty(); minute++) {
            int now = minute;
            for (int bench = 0; bench < benches; bench++) {
                Integer next = waiting.stream()
                    .filter(job -> jobs.get(job).get(0) <= now)
                    .findFirst()
                    .orElse(null);
                if (next != null && freeFrom[bench] <= now) {
                    waiting.remove(next);
                    plan.set(next, List.of(bench, now));
                    freeFrom[bench] = now + jobs.get(next).get(1);
                }
            }
        }
        return plan;
    }
}
