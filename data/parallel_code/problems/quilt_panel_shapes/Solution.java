import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<List<Integer>> quiltPanelShapes(int patches, int maxRatio) {
        List<List<Integer>> shapes = new ArrayList<>();
        for (int side = 1; (long) side * side <= patches; side++) {
            int other = patches / side;
            if (patches % side == 0 && other <= (long) maxRatio * side) {
                shapes.add(List.of(side, other));
            }
        }
        return shapes;
    }
}
