class Solution {
    private enum Mode { TEXT, LINE_NOTE, BRACKETS }

    public static String stageNotesRemoved(String script) {
        StringBuilder kept = new StringBuilder();
        Mode mode = Mode.TEXT;
        int depth = 0;
        for (char c : script.toCharArray()) {
            switch (mode) {
                case TEXT -> {
                    if (c == '{') {
                        mode = Mode.BRACKETS;
                        depth = 1;
                    } else if (c == '~') {
                        mode = Mode.LINE_NOTE;
                    } else {
                        kept.append(c);
                    }
                }
                case LINE_NOTE -> {
                    if (c == '\n') {
                        kept.append(c);
                        mode = Mode.TEXT;
                    }
                }
                case BRACKETS -> {
                    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
                    mode = depth == 0 ? Mode.TEXT : Mode.BRACKETS;
                }
            }
        }
        return kept.toString();
    }
}
