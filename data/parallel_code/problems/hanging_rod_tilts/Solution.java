import java.util.List;
import java.util.stream.Collectors;

class Solution {
    private record Rod(int leftArm, int leftLoad, int rightArm, int rightLoad) {
        int weight(List<Rod> rods) {
            return total(leftLoad, rods) + total(rightLoad, rods);
        }

        int tilt(List<Rod> rods) {
            return leftArm * total(leftLoad, rods) - rightArm * total(rightLoad, rods);
        }

        private static int total(int load, List<Rod> rods) {
            return load >= 0 ? load : rods.get(-load).weight(rods);
        }
    }

    public static List<Integer> hangingRodTilts(List<List<Integer>> rods) {
        List<Rod> parsed = rods.stream()
                .map(rod -> new Rod(rod.get(0), rod.get(1), rod.get(2), rod.get(3)))
                .collect(Collectors.toList());
        return parsed.stream().map(rod -> rod.tilt(parsed)).collect(Collectors.toList());
    }
}
