import java.util.Locale;

class Solution {
    public static String ledgerAmountText(long cents) {
        return String.format(Locale.ROOT, cents < 0 ? "(%,d.%02d)" : "%,d.%02d",
            Math.abs(cents) / 100, Math.abs(cents) % 100);
    }
}
