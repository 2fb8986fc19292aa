class Solution {
    public static String classifyKeyingSlip(String meant, String typed) {
        if (meant.equals(typed)) {
            return "same";
        }
        int shorter = Math.min(meant.length(), typed.length());
        int start = 0;
        while (start < shorter && meant.charAt(start) == typed.charAt(start)) {
            start++;
        }
        return switch (typed.length() - meant.length()) {
            case 0 -> sameLength(meant.substring(start), typed.substring(start));
            case -1 -> typed.endsWith(meant.substring(start + 1)) ? "drop" : "other";
            case 1 -> start > 0 && typed.endsWith(meant.substring(start - 1)) ? "double" : "other";
            default -> "other";
        };
    }

    private static String sameLength(String meant, String typed) {
        if (meant.substring(1).equals(typed.substring(1))) {
            return "change";
        }
        boolean crossed = meant.charAt(0) == typed.charAt(1) && meant.charAt(1) == typed.charAt(0);
        return crossed && meant.substring(2).equals(typed.substring(2)) ? "swap" : "other";
    }
}
