import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class Solution {
    public static List<Integer> smudgedLabelDigits(
            String label, List<Integer> weights, int modulus) {
        int smudge = label.indexOf('?');
        int known = IntStream.range(0, label.length())
                .filter(i -> i != smudge)
                .map(i -> Character.digit(label.charAt(i), 10) * weights.get(i))
                .sum();
        return IntStream.range(0, 10)
                .filter(digit -> (known + digit * weights.get(smudge)) % modulus == 0)
                .boxed()
                .collect(Collectors.toList());
    }
}
