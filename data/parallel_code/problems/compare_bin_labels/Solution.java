import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

class Solution {
    private static final Pattern CHUNK = Pattern.compile("\\d+|\\D+");
    private static final Comparator<String> FALLBACK =
        Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    public static int compareBinLabels(String left, String right) {
        List<String> a = chunks(left);
        List<String> b = chunks(right);
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            int order = compareChunks(a.get(i), b.get(i));
            if (order != 0) {
                return Integer.signum(order);
            }
        }
        int order = Integer.compare(a.size(), b.size());
        return Integer.signum(order != 0 ? order : FALLBACK.compare(left, right));
    }

    private static List<String> chunks(String label) {
        return CHUNK.matcher(label.toLowerCase()).results().map(MatchResult::group).toList();
    }

    private static int compareChunks(String a, String b) {
        boolean aIsNumber = Character.isDigit(a.charAt(0));
        boolean bIsNumber = Character.isDigit(b.charAt(0));
        if (aIsNumber && bIsNumber) {
            return Integer.compare(Integer.parseInt(a), Integer.parseInt(b));
        }
        return aIsNumber == bIsNumber ? a.compareTo(b) : Boolean.compare(bIsNumber, aIsNumber);
    }
}
