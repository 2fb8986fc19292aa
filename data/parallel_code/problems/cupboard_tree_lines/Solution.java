import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

class Solution {
    private static class Node extends TreeMap<String, Node> {
        void draw(String indent, List<String> lines) {
            for (String name : keySet()) {
                boolean last = name.equals(lastKey());
                lines.add(indent + (last ? "`-- " : "|-- ") + name);
                get(name).draw(indent + (last ? "    " : "|   "), lines);
            }
        }
    }

    public static List<String> cupboardTreeLines(List<String> places) {
        Node root = new Node();
        for (String place : places) {
            Node node = root;
            for (String name : place.split("/")) {
                node = node.computeIfAbsent(name, key -> new Node());
            }
        }
        List<String> lines = new ArrayList<>();
        root.draw("", lines);
        return lines;
    }
}
