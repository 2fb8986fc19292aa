import java.util.List;

class Solution {
    public static double tankMixTemperature(List<List<Double>> jugs) {
        double litres = jugs.stream().mapToDouble(jug -> jug.get(0)).sum();
        double heat = jugs.stream().mapToDouble(jug -> jug.get(0) * jug.get(1)).sum();
        return litres > 0 ? heat / litres : 0.0;
    }
}
