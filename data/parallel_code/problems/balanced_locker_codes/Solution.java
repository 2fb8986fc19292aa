import java.util.stream.IntStream;

class Solution {
    public static int balancedLockerCodes(int low, int high) {
        return (int) IntStream.rangeClosed(low, high).filter(Solution::isBalanced).count();
    }

    private static boolean isBalanced(int code) {
        int surplus = 0;
        for (int rest = code; rest > 0; rest /= 10) {
            int digit = rest % 10;
            surplus += digit % 2 == 0 ? digit : -digit;
        }
        return surplus == 0;
    }
}
