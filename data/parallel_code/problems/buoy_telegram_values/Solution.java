import java.util.HashMap;
import java.util.Map;

class Solution {
    public static Map<String, Double> buoyTelegramValues(String telegram) {
        Map<String, Double> values = new HashMap<>();
        for (String group : telegram.split(" ")) {
            if (!group.matches("[A-Z]\\d{4}")) {
                continue;
            }
            int code = Integer.parseInt(group.substring(1));
            switch (group.charAt(0)) {
                case 'A' -> values.put("air", temperature(code));
                case 'S' -> values.put("sea", temperature(code));
                case 'P' -> values.put("pressure", (code < 5000 ? code + 10000 : code) / 10.0);
                case 'W' -> {
                    boolean strong = code / 100 > 50;
                    values.put("wind_from", (code / 100 - (strong ? 50 : 0)) * 10.0);
                    values.put("wind_speed", code % 100 + (strong ? 100.0 : 0.0));
                }
                default -> { }
            }
        }
        return values;
    }

    private static double temperature(int code) {
        double degrees = code % 1000 / 10.0;
        return code / 1000 == 1 ? -degrees : degrees;
    }
}
