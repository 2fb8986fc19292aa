import java.util.Map;

class Solution {
    public static Map<String, Integer> vanHireStatement(
            int minutes, int kilometres, int driverAge, int missingEighths) {
        int billed = Math.max(minutes, 60);
        int fullDays = billed / 1440;
        int hours = (billed % 1440 + 59) / 60;
        int startedDays = (billed + 1439) / 1440;
        int excess = Math.max(0, kilometres - 150 * startedDays);

        int time = 3200 * (fullDays - fullDays / 7) + Math.min(3200, 450 * hours);
        int distance = 25 * Math.min(excess, 100) + 18 * Math.max(excess - 100, 0);
        int youngDriver = driverAge < 25 ? 900 * Math.min(startedDays, 5) : 0;
        int fuel = 1323 * missingEighths;
        return Map.of(
                "time", time,
                "distance", distance,
                "young_driver", youngDriver,
                "fuel", fuel,
                "total", time + distance + youngDriver + fuel);
    }
}
