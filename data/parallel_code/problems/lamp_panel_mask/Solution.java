import java.util.List;

class Solution {
    public static int lampPanelMask(List<Integer> presses) {
        return presses.stream().mapToInt(lamp -> 1 << lamp).reduce(0, (mask, bit) -> mask ^ bit);
    }
}
