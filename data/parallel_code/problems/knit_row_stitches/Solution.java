import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class Solution {
    private static final Pattern STITCH = Pattern.compile("([a-z]+)(\\d*)");

    public static Map<String, Integer> knitRowStitches(String row, int needle) {
        String[] parts = row.split("\\*", -1);
        Map<String, Integer> worked = new TreeMap<>();
        int left = needle - work(parts[0], 1, worked);
        if (parts.length == 3) {
            left -= work(parts[2], 1, worked);
            int section = work(parts[1], 1, new TreeMap<>());
            int times = Math.max(0, left) / section;
            if (times > 0) {
                left -= work(parts[1], times, worked);
            }
        }
        worked.put("left", left);
        return worked;
    }

    private static int work(String part, int times, Map<String, Integer> worked) {
        int total = 0;
        Matcher stitch = STITCH.matcher(part);
        while (stitch.find()) {
            String digits = stitch.group(2);
            int count = times * (digits.isEmpty() ? 1 : Integer.parseInt(digits));
            worked.merge(stitch.group(1), count, Integer::sum);
            total += count;
        }
        return total;
    }
}
