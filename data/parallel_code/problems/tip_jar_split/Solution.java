import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

class Solution {
    public static List<Integer> tipJarSplit(int cents, List<Integer> hours) {
        int total = hours.stream().mapToInt(Integer::intValue).sum();
        if (total == 0) {
            return new ArrayList<>(Collections.nCopies(hours.size(), 0));
        }
        List<Integer> shares = new ArrayList<>();
        int left = cents;
        for (int worked : hours) {
            int share = cents * worked / total;
            shares.add(share);
            left -= share;
        }
        Comparator<Integer> byRemainder = Comparator.comparing(i -> cents * hours.get(i) % total);
        IntStream.range(0, hours.size())
                .boxed()
                .sorted(byRemainder.reversed())
                .limit(left)
                .forEach(i -> shares.set(i, shares.get(i) + 1));
        return shares;
    }
}
