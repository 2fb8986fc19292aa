import java.util.List;

class Solution {
    public static List<Integer> mowerLawnCoverage(int width, int height, String commands) {
        boolean[][] mown = new boolean[width][height];
        mown[0][0] = true;
        int x = 0, y = 0, east = 0, north = 1, cells = 1, bumps = 0;
        for (char command : commands.toCharArray()) {
            int nextX = x + east, nextY = y + north;
            boolean inside = nextX >= 0 && nextX < width && nextY >= 0 && nextY < height;
            if (command == 'F' && inside) {
                x = nextX;
                y = nextY;
                cells += mown[x][y] ? 0 : 1;
                mown[x][y] = true;
            } else if ("LRF".indexOf(command) >= 0) {
                bumps += command == 'F' ? 1 : 0;
                int turn = command == 'L' ? -1 : 1;
                int oldEast = east;
                east = turn * north;
                north = -turn * oldEast;
            }
        }
        return List.of(cells, bumps);
    }
}
