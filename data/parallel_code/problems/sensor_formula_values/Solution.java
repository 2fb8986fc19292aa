import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntBinaryOperator;

class Solution {
    private static final Map<String, IntBinaryOperator> OPERATIONS = Map.of(
            "+", Integer::sum,
            "-", (a, b) -> a - b,
            "*", (a, b) -> a * b,
            "max", Math::max);

    private final Map<String, String> formulas;
    private final Map<String, Optional<Integer>> values = new HashMap<>();

    private Solution(Map<String, String> formulas) {
        this.formulas = formulas;
    }

    public static Map<String, Integer> sensorFormulaValues(Map<String, String> formulas) {
        Solution board = new Solution(formulas);
        Map<String, Integer> result = new HashMap<>();
        for (String name : formulas.keySet()) {
            board.value(name).ifPresent(value -> result.put(name, value));
        }
        return result;
    }

    private Optional<Integer> value(String name) {
        if (!values.containsKey(name)) {
            values.put(name, Optional.empty());
            if (formulas.containsKey(name)) {
                List<String> tokens = List.of(formulas.get(name).split(" "));
                values.put(name, evaluate(tokens.iterator()));
            }
        }
        return values.get(name);
    }

    private Optional<Integer> evaluate(Iterator<String> tokens) {
        String token = tokens.next();
        IntBinaryOperator operation = OPERATIONS.get(token);
        if (operation != null) {
            Optional<Integer> left = evaluate(tokens);
            Optional<Integer> right = evaluate(tokens);
            return left.flatMap(a -> right.map(b -> operation.applyAsInt(a, b)));
        }
        if (Character.isLetter(token.charAt(0))) {
            return value(token);
        }
        return Optional.of(Integer.valueOf(token));
    }
}
