import java.util.ArrayList;
import java.util.List;

class Solution {
    private static final int SATURDAY = 5;

    public static List<String> rentDueDates(int year, int month, int day, int count) {
        List<String> dates = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int months = month - 1 + i;
            dates.add(dueDate(year + months / 12, months % 12 + 1, day));
        }
        return dates;
    }

    private static String dueDate(int year, int month, int day) {
        int last = monthLength(year, month);
        int due = Math.min(day, last);
        int weekday = weekday(year, month, due);
        if (weekday >= SATURDAY) {
            due += 7 - weekday;
        }
        if (due > last) {
            due -= last;
            month++;
        }
        if (month > 12) {
            month = 1;
            year++;
        }
        return String.format("%04d-%02d-%02d", year, month, due);
    }

    private static int weekday(int year, int month, int day) {
        int past = year - 1;
        int days = past * 365 + past / 4 - past / 100 + past / 400;
        for (int earlier = 1; earlier < month; earlier++) {
            days += monthLength(year, earlier);
        }
        return (days + day - 1) % 7;
    }

    private static int monthLength(int year, int month) {
        return switch (month) {
            case 4, 6, 9, 11 -> 30;
            case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
            default -> 31;
        };
    }
}
