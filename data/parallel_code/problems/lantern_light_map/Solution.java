import java.util.Arrays;
import java.util.List;

class Solution {
    public static List<String> lanternLightMap(List<String> cave) {
        char[][] lit = cave.stream().map(String::toCharArray).toArray(char[][]::new);
        for (int r = 0; r < lit.length; r++) {
            for (int c = 0; c < lit[r].length; c++) {
                if (lit[r][c] == '*') {
                    shine(lit, r, c, -1, 0);
                    shine(lit, r, c, 1, 0);
                    shine(lit, r, c, 0, -1);
                    shine(lit, r, c, 0, 1);
                }
            }
        }
        return Arrays.stream(lit).map(String::new).toList();
    }

    private static void shine(char[][] lit, int row, int column, int down, int across) {
        int r = row + down;
        int c = column + across;
        while (r >= 0 && r < lit.length && c >= 0 && c < lit[r].length && lit[r][c] != '#') {
            if (lit[r][c] == '.') {
                lit[r][c] = 'o';
            }
            r += down;
            c += across;
        }
    }
}
