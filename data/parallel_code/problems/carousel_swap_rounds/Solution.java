import java.util.List;

class Solution {
    public static long carouselSwapRounds(List<Integer> moves) {
        boolean[] visited = new boolean[moves.size()];
        long rounds = 1;
        for (int start = 0; start < moves.size(); start++) {
            int length = 0;
            for (int seat = start; !visited[seat]; seat = moves.get(seat)) {
                visited[seat] = true;
                length++;
            }
            if (length > 1) {
                rounds = rounds / gcd(rounds, length) * length;
            }
        }
        return rounds;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
