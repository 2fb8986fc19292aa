import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static Map<String, List<Integer>> invoiceTaxSummary(List<List<Integer>> lines) {
        Map<Integer, Integer> nets = new TreeMap<>();
        for (List<Integer> line : lines) {
            long hundredths = (long) line.get(0) * line.get(1) * (100 - line.get(2));
            nets.merge(line.get(3), roundDiv(hundredths, 100), Integer::sum);
        }
        Map<String, List<Integer>> summary = new HashMap<>();
        int totalNet = 0;
        int totalTax = 0;
        for (Map.Entry<Integer, Integer> entry : nets.entrySet()) {
            int rate = entry.getKey();
            int net = entry.getValue();
            int tax = roundDiv((long) net * rate, 1000);
            summary.put(label(rate), List.of(net, tax));
            totalNet += net;
            totalTax += tax;
        }
        summary.put("total", List.of(totalNet, totalTax));
        return summary;
    }

    private static int roundDiv(long value, int divisor) {
        long magnitude = (2 * Math.abs(value) + divisor) / (2L * divisor);
        return (int) (value < 0 ? -magnitude : magnitude);
    }

    private static String label(int rate) {
        String whole = String.valueOf(rate / 10);
        return rate % 10 == 0 ? whole + "%" : whole + "." + rate % 10 + "%";
    }
}
