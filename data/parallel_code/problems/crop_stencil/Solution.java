import java.util.List;

class Solution {
    public static List<String> cropStencil(List<String> sheet) {
        List<String> cut = sheet.stream().filter(row -> row.contains("#")).toList();
        if (cut.isEmpty()) {
            return List.of();
        }
        int left = cut.stream().mapToInt(row -> row.indexOf('#')).min().getAsInt();
        int right = cut.stream().mapToInt(row -> row.lastIndexOf('#')).max().getAsInt();
        int top = sheet.indexOf(cut.get(0));
        int bottom = sheet.lastIndexOf(cut.get(cut.size() - 1));
        return sheet.subList(top, bottom + 1).stream().map(row -> row.substring(left, right + 1)).toList();
    }
}
