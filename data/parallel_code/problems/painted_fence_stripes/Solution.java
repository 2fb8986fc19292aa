import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static List<String> paintedFenceStripes(int length, List<List<Integer>> coats, List<String> colours) {
        TreeMap<Integer, String> colourFrom = new TreeMap<>(Map.of(0, "bare"));
        for (int i = 0; i < coats.size(); i++) {
            int start = coats.get(i).get(0);
            int end = coats.get(i).get(1);
            String hidden = colourFrom.floorEntry(end).getValue();
            colourFrom.subMap(start, end).clear();
            colourFrom.put(start, colours.get(i));
            colourFrom.put(end, hidden);
        }
        List<String> stripes = new ArrayList<>();
        int mark = 0;
        while (mark < length) {
            String colour = colourFrom.get(mark);
            Integer end = colourFrom.higherKey(mark);
            while (end != null && colourFrom.get(end).equals(colour)) {
                end = colourFrom.higherKey(end);
            }
            int last = end == null ? length : Math.min(end, length);
            stripes.add(mark + "-" + last + " " + colour);
            mark = last;
        }
        return stripes;
    }
}
