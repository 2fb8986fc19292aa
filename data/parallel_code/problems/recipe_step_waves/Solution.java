import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

class Solution {
    public static List<List<Integer>> recipeStepWaves(int steps, List<List<Integer>> needs) {
        TreeSet<Integer> open = new TreeSet<>();
        for (int step = 0; step < steps; step++) {
            open.add(step);
        }
        List<List<Integer>> waves = new ArrayList<>();
        while (true) {
            List<Integer> wave = new ArrayList<>(open);
            for (List<Integer> need : needs) {
                if (open.contains(need.get(0))) {
                    wave.remove(need.get(1));
                }
            }
            if (wave.isEmpty()) {
                return waves;
            }
            waves.add(wave);
            open.removeAll(wave);
        }
    }
}
