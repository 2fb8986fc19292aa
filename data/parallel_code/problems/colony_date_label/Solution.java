class Solution {
    private static final int MONTH = 28;
    private static final int YEAR = 13 * MONTH + 1;
    private static final int FOUR_YEARS = 4 * YEAR + 1;

    public static String colonyDateLabel(int day) {
        int inCycle = day % FOUR_YEARS;
        int yearInCycle = Math.min(inCycle / YEAR, 3);
        int year = day / FOUR_YEARS * 4 + yearInCycle + 1;
        int inYear = inCycle - yearInCycle * YEAR;
        int month = inYear / MONTH + 1;
        int date = inYear % MONTH + 1;
        return month > 13
                ? String.format("Y%d-F%d", year, date)
                : String.format("Y%d-M%02d-D%02d", year, month, date);
    }
}
