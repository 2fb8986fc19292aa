import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class Solution {
    public static Map<String, List<String>> volunteerSkillIndex(Map<String, List<String>> roster) {
        Map<String, List<String>> index = new TreeMap<>();
        new TreeMap<>(roster).forEach((volunteer, skills) -> {
            for (String skill : new HashSet<>(skills)) {
                index.computeIfAbsent(skill, key -> new ArrayList<>()).add(volunteer);
            }
        });
        return index;
    }
}
