import java.util.List;

class Solution {
    public static String guestLineSentence(List<String> names, int limit) {
        if (names.isEmpty()) {
            return "nobody";
        }
        int hidden = Math.max(0, names.size() - limit);
        int listed = hidden == 0 ? names.size() - 1 : limit;
        String last = switch (hidden) {
            case 0 -> names.get(listed);
            case 1 -> "1 other";
            default -> hidden + " others";
        };
        String front = String.join(", ", names.subList(0, listed));
        return front.isEmpty() ? last : front + " and " + last;
    }
}
