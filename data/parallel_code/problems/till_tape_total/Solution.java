import java.util.regex.Matcher;
import java.util.regex.Pattern;

class Solution {
    private static final Pattern STEP = Pattern.compile("([-+*/]?)([\\d.]+)(%?)");

    public static double tillTapeTotal(String tape) {
        double total = 0;
        Matcher step = STEP.matcher(tape);
        while (step.find()) {
            String sign = step.group(1);
            double amount = Double.parseDouble(step.group(2));
            boolean scaling = sign.equals("*") || sign.equals("/");
            if (!step.group(3).isEmpty()) {
                amount *= (scaling ? 1 : total) / 100;
            }
            total = switch (sign) {
                case "-" -> total - amount;
                case "*" -> total * amount;
                case "/" -> total / amount;
                default -> total + amount;
            };
        }
        return total;
    }
}
