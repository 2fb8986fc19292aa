import java.math.BigInteger;
import java.util.List;

class Solution {
    public static int twoKilnFinish(List<Integer> hours) {
        BigInteger loads = BigInteger.ONE;
        int total = 0;
        for (int batch : hours) {
            loads = loads.or(loads.shiftLeft(batch));
            total += batch;
        }
        int finish = (total + 1) / 2;
        while (!loads.testBit(finish)) {
            finish++;
        }
        return finish;
    }
}
