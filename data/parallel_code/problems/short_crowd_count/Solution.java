class Solution {
    public static String shortCrowdCount(long count) {
        if (count < 1_000) {
            return Long.toString(count);
        }
        if (count < 1_000_000) {
            return scaled(count, 1_000, "k");
        }
        return count < 1_000_000_000
            ? scaled(count, 1_000_000, "m")
            : scaled(count, 1_000_000_000, "bn");
    }

    private static String scaled(long count, long size, String suffix) {
        long whole = count / size;
        long tenth = count % size * 10 / size;
        return whole < 10 && tenth > 0 ? whole + "." + tenth + suffix : whole + suffix;
    }
}
