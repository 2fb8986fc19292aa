import java.util.List;

class Solution {
    public static int buoyPacketCheck(List<Integer> payload, int key) {
        int register = 90;
        for (int value : payload) {
            register ^= value;
            for (int bit = 0; bit < 8; bit++) {
                boolean carry = register > 127;
                register = register << 1 & 0xFF;
                if (carry) {
                    register ^= key;
                }
            }
        }
        return register;
    }
}
