import java.util.LinkedHashMap;
import java.util.Map;

class Solution {
    public static Map<String, Map<String, String>> kilnConfigSections(String text) {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        String current = "base";
        for (String raw : text.split("\n")) {
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            boolean heading = line.startsWith("[") && line.endsWith("]");
            if (heading) {
                current = line.substring(1, line.length() - 1).strip();
            }
            Map<String, String> entries = sections.computeIfAbsent(current, name -> new LinkedHashMap<>());
            if (!heading) {
                addEntry(entries, line);
            }
        }
        return sections;
    }

    private static void addEntry(Map<String, String> entries, String line) {
        int equals = line.indexOf('=');
        if (equals < 0) {
            entries.put(line, "on");
            return;
        }
        String key = line.substring(0, equals).strip();
        String value = line.substring(equals + 1).strip();
        if (key.endsWith("+")) {
            key = key.substring(0, key.length() - 1).strip();
            entries.merge(key, value, (old, more) -> (old + " " + more).strip());
        } else {
            entries.put(key, value);
        }
    }
}
