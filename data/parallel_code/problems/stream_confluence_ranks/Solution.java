import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static List<Integer> streamConfluenceRanks(List<Integer> downstream) {
        Integer[] ranks = new Integer[downstream.size()];
        for (int stream = 0; stream < ranks.length; stream++) {
            int current = stream;
            int[] tributaries = IntStream.range(0, stream)
                    .filter(other -> downstream.get(other) == current)
                    .map(other -> ranks[other])
                    .toArray();
            int highest = IntStream.of(tributaries).max().orElse(1);
            long sharing = IntStream.of(tributaries).filter(rank -> rank == highest).count();
            ranks[stream] = sharing > 1 ? highest + 1 : highest;
        }
        return Arrays.asList(ranks);
    }
}
