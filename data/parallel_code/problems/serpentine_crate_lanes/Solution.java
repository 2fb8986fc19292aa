import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<List<String>> serpentineCrateLanes(List<String> crates, int lanes) {
        List<List<String>> dealt = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            dealt.add(new ArrayList<>());
        }
        for (int i = 0; i < crates.size(); i++) {
            int place = i % (2 * lanes);
            int lane = place < lanes ? place : 2 * lanes - 1 - place;
            dealt.get(lane).add(crates.get(i));
        }
        return dealt;
    }
}
