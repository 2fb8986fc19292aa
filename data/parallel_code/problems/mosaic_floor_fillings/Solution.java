import java.util.List;

class Solution {
    public static long mosaicFloorFillings(List<String> rows, int singles) {
        int width = rows.isEmpty() ? 0 : rows.get(0).length();
        int masks = 1 << width;
        long[][] ways = new long[masks][singles + 1];
        ways[0][0] = 1;
        for (int r = 0; r < rows.size(); r++) {
            for (int c = 0; c < width; c++) {
                int here = 1 << c;
                int right = here << 1;
                boolean pillar = !isOpen(rows, r, c);
                long[][] next = new long[masks][singles + 1];
                for (int mask = 0; mask < masks; mask++) {
                    for (int used = 0; used <= singles; used++) {
                        long count = ways[mask][used];
                        if (count == 0) {
                            continue;
                        }
                        if (pillar || (mask & here) != 0) {
                            next[mask & ~here][used] += count;
                            continue;
                        }
                        if (used < singles) {
                            next[mask][used + 1] += count;
                        }
                        if (isOpen(rows, r + 1, c)) {
                            next[mask | here][used] += count;
                        }
                        if (isOpen(rows, r, c + 1) && (mask & right) == 0) {
                            next[mask | right][used] += count;
                        }
                    }
                }
                ways = next;
            }
        }
        return ways[0][singles];
    }

    private static boolean isOpen(List<String> rows, int r, int c) {
        return r < rows.size() && c < rows.get(r).length() && rows.get(r).charAt(c) == '.';
    }
}
