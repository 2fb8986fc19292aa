class Solution {
    public static int savingsJarMonths(int start, int deposit, int rateBp, int goal) {
        long balance = start;
        for (int month = 0; month <= 1200; month++) {
            if (balance >= goal) {
                return month;
            }
            balance += balance * rateBp / 120_000 + deposit;
        }
        return -1;
    }
}
