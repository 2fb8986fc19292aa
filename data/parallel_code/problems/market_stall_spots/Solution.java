import java.util.List;

class Solution {
    public static int marketStallSpots(List<String> yard, int depth, int width) {
        int spots = countSpots(yard, depth, width);
        return depth == width ? spots : spots + countSpots(yard, width, depth);
    }

    private static int countSpots(List<String> yard, int down, int across) {
        String free = ".".repeat(across);
        int columns = yard.isEmpty() ? 0 : yard.get(0).length();
        int spots = 0;
        for (int top = 0; top + down <= yard.size(); top++) {
            for (int left = 0; left + across <= columns; left++) {
                int column = left;
                if (yard.subList(top, top + down).stream().allMatch(row -> row.startsWith(free, column))) {
                    spots++;
                }
            }
        }
        return spots;
    }
}
