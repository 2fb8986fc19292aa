import java.util.List;

class Solution {
    private int balance = 0;
    private int floor = 0;
    private int rate = 30;

    public static List<Integer> prepaidMeterReadings(List<String> operations) {
        Solution meter = new Solution();
        return operations.stream().map(meter::apply).toList();
    }

    private int apply(String operation) {
        String[] words = operation.split(" ");
        switch (words[0]) {
            case "day" -> rate = 30;
            case "night" -> rate = 18;
            case "lend" -> floor = balance < 200 ? -500 : floor;
            case "pay" -> {
                balance += Integer.parseInt(words[1]);
                floor = balance >= 0 ? 0 : floor;
            }
            case "use" -> {
                int affordable = (balance - floor) / rate;
                balance -= rate * Math.min(Integer.parseInt(words[1]), affordable);
            }
        }
        return balance;
    }
}
