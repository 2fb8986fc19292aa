class Solution {
    public static int steadiestSignalRun(int word, int width) {
        int longest = 0;
        int run = 0;
        int previous = -1;
        for (int i = 0; i < width; i++) {
            int bit = word >> i & 1;
            run = bit == previous ? run + 1 : 1;
            longest = Math.max(longest, run);
            previous = bit;
        }
        return longest;
    }
}
