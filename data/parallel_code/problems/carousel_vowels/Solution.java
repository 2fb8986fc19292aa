class Solution {
    public static String carouselVowels(String text, int steps) {
        int[] places = text.chars().filter(c -> "aeiouAEIOU".indexOf(c) >= 0).toArray();
        StringBuilder turned = new StringBuilder(text);
        int next = 0;
        for (int i = 0; i < text.length(); i++) {
            char old = text.charAt(i);
            if ("aeiouAEIOU".indexOf(old) >= 0) {
                char vowel = (char) places[Math.floorMod(next - steps, places.length)];
                turned.setCharAt(i, Character.isUpperCase(old)
                    ? Character.toUpperCase(vowel)
                    : Character.toLowerCase(vowel));
                next++;
            }
        }
        return turned.toString();
    }
}
