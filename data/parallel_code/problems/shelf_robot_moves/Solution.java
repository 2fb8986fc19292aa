import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

class Solution {
    public static List<Integer> shelfRobotMoves(List<Integer> shelf, List<List<Integer>> moves) {
        List<Integer> boxes = new ArrayList<>(shelf);
        for (List<Integer> move : moves) {
            apply(boxes, move.get(0), move.get(1), move.get(2));
        }
        return boxes;
    }

    private static void apply(List<Integer> boxes, int kind, int a, int b) {
        boolean aExists = a >= 0 && a < boxes.size();
        boolean bExists = b >= 0 && b < boxes.size();
        switch (kind) {
            case 0 -> {
                if (aExists || a == boxes.size()) {
                    boxes.add(a, b);
                }
            }
            case 1 -> {
                if (aExists) {
                    boxes.remove(a);
                }
            }
            case 2 -> {
                if (aExists && bExists) {
                    Integer box = boxes.remove(a);
                    boxes.add(b, box);
                }
            }
            case 3 -> {
                if (aExists && bExists && a <= b) {
                    Collections.reverse(boxes.subList(a, b + 1));
                }
            }
            case 4 -> {
                if (a >= 0) {
                    Collections.rotate(boxes, a);
                }
            }
            default -> {
            }
        }
    }
}
