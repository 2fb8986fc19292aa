import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<String> drawerOutlinePaths(List<String> lines) {
        List<String> trail = new ArrayList<>();
        List<String> paths = new ArrayList<>();
        for (String line : lines) {
            if (line.isBlank()) {
                continue;
            }
            String name = line.strip();
            int depth = (line.length() - name.length()) / 2;
            trail.subList(depth, trail.size()).clear();
            trail.add(name);
            paths.add(String.join("/", trail));
        }
        return paths;
    }
}
