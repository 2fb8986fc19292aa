class Solution {
    public static int nightShiftMinutes(String start, String end) {
        int length = minuteOfDay(end) - minuteOfDay(start);
        return length > 0 ? length : length + 24 * 60;
    }

    private static int minuteOfDay(String time) {
        int hours = Integer.parseInt(time.substring(0, 2));
        int minutes = Integer.parseInt(time.substring(3));
        return hours * 60 + minutes;
    }
}
