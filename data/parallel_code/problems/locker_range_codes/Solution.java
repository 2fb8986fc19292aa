import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<String> lockerRangeCodes(String spec) {
        List<String> codes = new ArrayList<>();
        for (String item : spec.replace(" ", "").split(",")) {
            if (item.isEmpty()) {
                continue;
            }
            String[] ends = item.split("\\.\\.");
            if (ends.length == 1) {
                codes.add(item);
                continue;
            }
            int start = Integer.parseInt(ends[0].substring(1));
            int stop = Integer.parseInt(ends[1].substring(1));
            int step = start <= stop ? 1 : -1;
            String format = ends[0].charAt(0) + "%0" + (ends[0].length() - 1) + "d";
            for (int n = start; n != stop + step; n += step) {
                codes.add(String.format(format, n));
            }
        }
        return codes;
    }
}
