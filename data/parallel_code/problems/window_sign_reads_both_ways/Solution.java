class Solution {
    public static boolean windowSignReadsBothWays(String sign) {
        String reversed = new StringBuilder(sign).reverse().toString();
        return sign.matches("[AHIMOTUVWXY ]*") && sign.equals(reversed);
    }
}
