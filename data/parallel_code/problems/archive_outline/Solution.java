import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<String> archiveOutline(List<String> names, List<Integer> parents) {
        List<String> lines = new ArrayList<>();
        addSections(names, parents, -1, "", lines);
        return lines;
    }

    private static void addSections(
            List<String> names,
            List<Integer> parents,
            int parent,
            String prefix,
            List<String> lines) {
        int number = 0;
        for (int i = 0; i < names.size(); i++) {
            if (parents.get(i) == parent) {
                number++;
                lines.add(prefix + number + " " + names.get(i));
                addSections(names, parents, i, prefix + number + ".", lines);
            }
        }
    }
}
