import java.util.HashSet;
import java.util.List;
import java.util.Set;

class Solution {
    private final String rule;
    private final Set<String> badges;
    private int position = 0;

    private Solution(String rule, Set<String> badges) {
        this.rule = rule;
        this.badges = badges;
    }

    public static boolean badgeRuleAllows(String rule, List<String> badges) {
        String compact = rule.replace(" ", "");
        return compact.isEmpty() || new Solution(compact, new HashSet<>(badges)).either();
    }

    private boolean skip(String expected) {
        boolean found = rule.startsWith(expected, position);
        if (found) {
            position += expected.length();
        }
        return found;
    }

    private boolean either() {
        boolean result = both();
        while (skip("|")) {
            result |= both();
        }
        return result;
    }

    private boolean both() {
        boolean result = single();
        while (skip("&")) {
            result &= single();
        }
        return result;
    }

    private boolean single() {
        if (skip("!")) {
            return !single();
        }
        if (skip("(")) {
            boolean result = either();
            skip(")");
            return result;
        }
        if (Character.isDigit(rule.charAt(position))) {
            return atLeast();
        }
        return badges.contains(word());
    }

    private boolean atLeast() {
        int start = position;
        while (Character.isDigit(rule.charAt(position))) {
            position++;
        }
        int needed = Integer.parseInt(rule.substring(start, position));
        skip("of(");
        int held = 0;
        do {
            held += either() ? 1 : 0;
        } while (skip(","));
        skip(")");
        return held >= needed;
    }

    private String word() {
        int start = position;
        while (position < rule.length() && Character.isJavaIdentifierPart(rule.charAt(position))) {
            position++;
        }
        return rule.substring(start, position);
    }
}
