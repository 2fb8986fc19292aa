import java.util.List;

class Solution {
    public static String braidRibbonText(List<String> strands) {
        int longest = strands.stream().mapToInt(String::length).max().orElse(0);
        StringBuilder ribbon = new StringBuilder();
        for (int i = 0; i < longest; i++) {
            for (String strand : strands) {
                if (i < strand.length()) {
                    ribbon.append(strand.charAt(i));
                }
            }
        }
        return ribbon.toString();
    }
}
